/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How recordmcount reads an object, and puts another in its place: as a whole or,
 * on any error, not at all. This file does not look at the object's content.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_FILE_H
#define _SCRIPTS_RECORDMCOUNT_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recordmcount.h"

/* The object must be writable, though it is replaced rather than written to. */
#define OBJECT_FLAGS (O_RDWR | O_NOFOLLOW | O_NONBLOCK)

#define ROOM 0x80000

static int read_object(struct elf_obj *o, struct stat *st)
{
	static char target[PATH_MAX];
	int fd = open(o->path, OBJECT_FLAGS);

	/* a symbolic link stays, the object that it leads to is replaced */
	if (fd < 0 && errno == ELOOP && realpath(o->path, target)) {
		o->path = target;
		fd = open(o->path, OBJECT_FLAGS);
	}
	if (fd < 0)
		return elf_fail(o, "%s", strerror(errno));
	if (fstat(fd, st)) {
		elf_fail(o, "%s", strerror(errno));
		goto out;
	}
	if (!S_ISREG(st->st_mode)) {
		elf_fail(o, "not a regular file");
		goto out;
	}
	/* for the object and what it gains; most need less than the first has */
	if (elf_grow(o, &o->buf, &o->cap, st->st_size + ROOM, 1))
		goto out;
	while (o->len < (size_t)st->st_size) {
		ssize_t n = read(fd, o->buf + o->len, st->st_size - o->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			elf_fail(o, "read: %s", strerror(errno));
		else if (!n)
			elf_fail(o, "the file shrank while it was read");
		if (n <= 0)
			goto out;
		o->len += n;
	}
	close(fd);
	return 0;
out:
	close(fd);
	return -1;
}

#define TMP_NAME ".recordmcount-"
#define MAX_DIGITS 10

/* The length of a path up to and with its last slash. */
static size_t dir_len(const char *path)
{
	size_t i, len = 0;

	for (i = 0; path[i]; i++) {
		if (path[i] == '/')
			len = i + 1;
	}
	return len;
}

/*
 * Put the new object in the place of the old one. It is written under another
 * name first, so whatever fails, the object is the old or the new one as a
 * whole; and other hard links of the old one (a compiler cache has them) keep
 * its bytes.
 */
static int replace_object(const struct elf_obj *o, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL;
	size_t done = 0, dir = dir_len(o->path);
	char tmp[PATH_MAX + sizeof(TMP_NAME) + MAX_DIGITS], *end;
	unsigned int pid = getpid();
	bool made = false;
	int fd = -1;

	/* it was opened, so its path is no longer than PATH_MAX */
	memcpy(tmp, o->path, dir);
	memcpy(tmp + dir, TMP_NAME, sizeof(TMP_NAME));
	for (end = tmp + dir + sizeof(TMP_NAME) - 1; pid; pid /= 10)
		*end++ = '0' + pid % 10;
	*end = '\0';
	fd = open(tmp, flags, mode & 07777);
	/* only a process that was killed can have left this name behind */
	if (fd < 0 && errno == EEXIST && !unlink(tmp))
		fd = open(tmp, flags, mode & 07777);
	if (fd < 0)
		goto fail;
	made = true;
	while (done < o->len) {
		ssize_t n = write(fd, o->buf + done, o->len - done);

		if (n < 0 && errno != EINTR)
			goto fail;
		done += n > 0 ? n : 0;
	}
	/* some file systems tell only here that a write failed */
	done = close(fd);
	fd = -1;
	if (done || rename(tmp, o->path))
		goto fail;
	return 0;
fail:
	elf_fail(o, "cannot write the new object: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (made)
		unlink(tmp);
	return -1;
}

#endif /* _SCRIPTS_RECORDMCOUNT_FILE_H */
