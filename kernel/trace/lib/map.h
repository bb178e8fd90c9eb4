/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/map.h: a map that aggregates. A hit has a key and some values; the map counts the hits of
 * each key, and adds up the values. Hits come in any context, NMI included, on all CPUs, and a
 * hit on a key that the map knows writes to memory of its own CPU only. map.c explains how.
 *
 * The memory is allocated when the map is created, and never grows. When all elements are taken,
 * a hit on a key that the map does not know is dropped, and counted:
 *
 *	seen = counted + full
 *
 * The caller may have memory of its own at each key, which all CPUs share, and counters of its
 * own, which a reading closes together with the map's.
 */
#ifndef _TRACE_LIB_MAP_H
#define _TRACE_LIB_MAP_H

#include <linux/bits.h>
#include <linux/types.h>

#define TRACE_MAP_SIZE_MAX	BIT(20)
#define TRACE_MAP_KEY_MAX	4096
#define TRACE_MAP_VALUES_MAX	256
#define TRACE_MAP_DATA_MAX	16384
#define TRACE_MAP_BOOKS_MAX	64

struct trace_map;

/**
 * struct trace_map_shape - what a map is made for
 * @key_size:	bytes of a key, a multiple of 8, at most TRACE_MAP_KEY_MAX
 * @note_size:	bytes behind the key that are kept from its first hit and are not compared, a
 *		multiple of 8, at most TRACE_MAP_KEY_MAX
 * @values:	values that a hit adds beside itself, at most TRACE_MAP_VALUES_MAX
 * @data_size:	bytes of the caller at each key, zeroed, a multiple of 8, at most
 *		TRACE_MAP_DATA_MAX
 * @books:	counters of the caller, at most TRACE_MAP_BOOKS_MAX
 * @size:	keys that fit, 1 to TRACE_MAP_SIZE_MAX
 * @buckets:	of the hash, a power of 2; 0: as many as suit @size. Tests want collisions
 * @synchronize: waits, in task context, until each trace_map_hit() that has begun has returned
 */
struct trace_map_shape {
	unsigned int	key_size;
	unsigned int	note_size;
	unsigned int	values;
	unsigned int	data_size;
	unsigned int	books;
	unsigned int	size;
	unsigned int	buckets;
	void		(*synchronize)(void);
};

/**
 * struct trace_map_row - a key of a reading
 * @key:	the key, and the note behind it
 * @sums:	the number of its hits, then the sums of their values
 * @data:	of the caller, which hits may be changing
 */
struct trace_map_row {
	const void	*key;
	const u64	*sums;
	void		*data;
};

/**
 * struct trace_map_reading - all hits that had begun when a map was read, and no other
 * @seen:	hits
 * @counted:	hits that the rows have
 * @full:	hits that found no place for their key
 * @refused:	keys among these: at least so many
 * @books:	the caller's counters
 * @nr:		rows
 * @rows:	in the order in which the keys came
 */
struct trace_map_reading {
	u64			seen;
	u64			counted;
	u64			full;
	unsigned int		refused;
	u64			books[TRACE_MAP_BOOKS_MAX];
	unsigned int		nr;
	struct trace_map_row	*rows;
};

/* In task context. */
struct trace_map *trace_map_create(const struct trace_map_shape *shape);
void trace_map_free(struct trace_map *map);
size_t trace_map_bytes(const struct trace_map *map);
struct trace_map_reading *trace_map_read(struct trace_map *map);
void trace_map_reading_free(struct trace_map_reading *reading);
int trace_map_clear(struct trace_map *map);
u64 trace_map_seen(struct trace_map *map);

/*
 * In any context, with preemption off. Data of the caller stays until the synchronize() of a
 * shape that begins later has returned, also if the map is cleared.
 */
void *trace_map_hit_data(struct trace_map *map, const u64 *key, const u64 *values);
void *trace_map_find(struct trace_map *map, const u64 *key);
void trace_map_count(struct trace_map *map, unsigned int book);

/* trace_map_hit_data() without data. False: the key is new and has no place. */
static inline bool trace_map_hit(struct trace_map *map, const u64 *key, const u64 *values)
{
	return trace_map_hit_data(map, key, values);
}

#endif /* _TRACE_LIB_MAP_H */
