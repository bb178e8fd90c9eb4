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
 * Beside sums, a map may keep the largest one of some values (maxima), and how others are spread,
 * in buckets (lib/spread.h) that all keys have together. A value that finds no bucket any more is
 * counted as coarse; its hit is counted as any.
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
#define TRACE_MAP_SPREADS_MAX	32
#define TRACE_MAP_GROUPS_MAX	BIT(22)

struct trace_map;

/**
 * struct trace_map_shape - what a map is made for
 * @key_size:	bytes of a key, a multiple of 8, at most TRACE_MAP_KEY_MAX
 * @note_size:	bytes behind the key that are kept from its first hit and are not compared, a
 *		multiple of 8, at most TRACE_MAP_KEY_MAX
 * @values:	values that a hit adds beside itself, at most TRACE_MAP_VALUES_MAX
 * @maxima:	values behind those of which the map keeps the largest, as numbers without a sign
 * @spreads:	values behind these whose spread the map keeps; all of them are at most
 *		TRACE_MAP_VALUES_MAX
 * @signed_spreads: bits of spreads of numbers with a sign
 * @groups:	of buckets that all spreads of all keys have, at most TRACE_MAP_GROUPS_MAX
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
	unsigned int	maxima;
	unsigned int	spreads;
	u32		signed_spreads;
	unsigned int	groups;
	unsigned int	data_size;
	unsigned int	books;
	unsigned int	size;
	unsigned int	buckets;
	void		(*synchronize)(void);
};

/**
 * struct trace_map_row - a key of a reading
 * @key:	the key, and the note behind it
 * @sums:	the number of its hits, then the sums of their values, then the maxima
 * @data:	of the caller, which hits may be changing
 */
struct trace_map_row {
	const void	*key;
	const u64	*sums;
	void		*data;
};

/**
 * struct trace_map_reading - all hits that had returned when a map was read, each as a whole
 * @seen:	hits
 * @counted:	hits that the rows have
 * @full:	hits that found no place for their key
 * @refused:	keys among these: at least so many
 * @coarse:	values that found no bucket
 * @groups:	of buckets that are in use
 * @books:	the caller's counters
 * @nr:		rows
 * @rows:	in the order in which the keys came
 */
struct trace_map_reading {
	u64			seen;
	u64			counted;
	u64			full;
	unsigned int		refused;
	u64			coarse;
	unsigned int		groups;
	u64			books[TRACE_MAP_BOOKS_MAX];
	unsigned int		nr;
	struct trace_map_row	*rows;
};

/* In task context. */
struct trace_map *trace_map_create(const struct trace_map_shape *shape);
void trace_map_free(struct trace_map *map);
size_t trace_map_bytes(const struct trace_map *map);
struct trace_map_reading *trace_map_read(struct trace_map *map);
void trace_map_reading_trim(struct trace_map_reading *reading);
void trace_map_reading_free(struct trace_map_reading *reading);
void trace_map_books_add(struct trace_map_reading *to, const struct trace_map_reading *from);
void trace_map_add_books(struct trace_map *map, struct trace_map_reading *to);
u64 trace_map_quantile(const struct trace_map_reading *reading, const struct trace_map_row *row,
		       unsigned int spread, u32 ppm, u64 *nr);
int trace_map_clear(struct trace_map *map);
int trace_maps_settle(void);
u64 trace_map_seen(struct trace_map *map);

/*
 * In any context, with preemption off. Data of the caller stays until the synchronize() of a
 * shape that begins later has returned, also if the map is cleared.
 */
void *trace_map_hit_data(struct trace_map *map, const u64 *key, const u64 *values);
void *trace_map_hit_folds(struct trace_map *map, const u64 *key, const u64 *values);
void trace_map_hit_word(struct trace_map *map, u64 key);
void trace_map_hit_word_sum(struct trace_map *map, u64 key, u64 value);
void *trace_map_find(struct trace_map *map, const u64 *key);
void trace_map_count(struct trace_map *map, unsigned int book);

/* trace_map_hit_data() without data. False: the key is new and has no place. */
static inline bool trace_map_hit(struct trace_map *map, const u64 *key, const u64 *values)
{
	return trace_map_hit_data(map, key, values);
}

#endif /* _TRACE_LIB_MAP_H */
