// SPDX-License-Identifier: GPL-2.0
/*
 * The letters by which block events name a request: its operation, then its flags.
 */
#include <linux/blk_types.h>
#include <linux/blktrace_api.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <trace/events/block.h>

static char *blk_rwbs_put_operation(char *p, blk_opf_t opf)
{
	switch (opf & REQ_OP_MASK) {
	case REQ_OP_READ:
		*p++ = 'R';
		break;
	case REQ_OP_WRITE:
		*p++ = 'W';
		break;
	case REQ_OP_FLUSH:
		*p++ = 'F';
		break;
	case REQ_OP_SECURE_ERASE:
		*p++ = 'D';
		*p++ = 'E';
		break;
	case REQ_OP_DISCARD:
		*p++ = 'D';
		break;
	default:
		*p++ = 'N';
	}
	return p;
}

/**
 * blk_fill_rwbs - spell a request's operation and flags
 * @rwbs:	RWBS_LEN characters
 * @opf:	operation and flags
 *
 * Context: any.
 */
void blk_fill_rwbs(char *rwbs, blk_opf_t opf)
{
	static const struct {
		blk_opf_t	flag;
		char		letter;
	} flags[] = {
		{ REQ_FUA,	'F' },
		{ REQ_RAHEAD,	'A' },
		{ REQ_SYNC,	'S' },
		{ REQ_META,	'M' },
	};
	char *p = rwbs;
	unsigned int i;

	/* preflush, two for the operation, one a flag, the end */
	static_assert(1 + 2 + ARRAY_SIZE(flags) + 1 <= RWBS_LEN);

	if (opf & REQ_PREFLUSH)
		*p++ = 'F';
	p = blk_rwbs_put_operation(p, opf);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (opf & flags[i].flag)
			*p++ = flags[i].letter;
	}
	*p = '\0';
}
EXPORT_SYMBOL_GPL(blk_fill_rwbs);
