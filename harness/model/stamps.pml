/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the time stamps of kernel/trace/buffer/write.c for spin: writers
 * of one CPU that interrupt each other at any step, and may discard what they
 * reserved.  Where events go when a sub-buffer is full is in ring.pml.
 *
 * The buffer is a row of units.  An event is one, with a delta to the stamp
 * before it; an absolute stamp is a unit of its own before its event.  The clock
 * moves on, or not, with each reading.
 *
 * Configured by -D: TASK, IRQ, NMI events of each context.  -DNO_BEFORE leaves
 * before_stamp out, -DNO_RETRY the cmpxchg of pos, and -DNO_LEVEL the level of the
 * writer beside its stamp; each must fail.
 *
 * With -DJUMPS the clock also jumps back, and a writer that was interrupted may find no place
 * and give up. Then -DNO_LATEST, which looks at write_stamp alone, and -DNO_KEEP, which leaves
 * rb_write_keep_stamp() out, must fail, too.
 *
 * Invariants, as ring.h and write.c have them:
 *	DECODED		what a reader adds up is the time that the writer read
 *	ORDERED		the stamps are in the order of the buffer
 */
#ifndef TASK
#define TASK	2
#endif
#ifndef IRQ
#define IRQ	2
#endif
#ifndef NMI
#define NMI	1
#endif

#ifndef NO_LEVEL
#define WORD(ts)	((ts) * 8 + _pid)
#else
#define WORD(ts)	((ts) * 8)
#endif
#define TIME(word)	((word) / 8)
#define MARK_WRITE(word)	(TIME(word) * 8 + 6)
#define MARK_BEFORE(word)	(TIME(word) * 8 + 7)

#define UNITS	(2 * (TASK + IRQ + NMI) + 1)

mtype = { NOTHING, STAMP, EVENT, PADDING };

byte	pos, now = 1;
short	write_stamp, before_stamp = 7;	/* a time, and the level of its writer */
mtype	type[UNITS];
byte	value[UNITS];			/* a delta, or a stamp */
byte	meant[UNITS];			/* the time its writer read */
byte	top, writers = 3;

inline read_clock()
{
	if
	:: now++
	:: skip
#ifdef JUMPS
	:: now > 0 -> now--
#endif
	fi;
	ts = now;
#ifdef JUMPS
	if
	:: ts < TIME(last) -> ts = TIME(last)
	:: else
	fi;
#ifndef NO_LATEST
	if
	:: ts < TIME(before) -> ts = TIME(before)
	:: else
	fi
#endif
#endif
}

/* rb_write_keep_stamp() */
inline keep()
{
#if defined(JUMPS) && !defined(NO_KEEP)
	do
	:: at = pos;
		last = write_stamp;
		before = before_stamp;
		if
		:: TIME(before) < TIME(last) -> before_stamp = MARK_BEFORE(last)
		:: TIME(last) < TIME(before) -> write_stamp = MARK_WRITE(before)
		:: else
		fi;
		if
		:: pos == at -> break
		:: else
		fi
	od
#else
	skip
#endif
}

inline reserve()
{
	done = 0;
	do
	:: done -> break
	:: else ->
		at = pos;					/* (1) */
		last = write_stamp;
		before = before_stamp;
		atomic { read_clock() }
#ifdef NO_BEFORE
		absolute = 0;
#else
		absolute = (before != last);
#endif
		before_stamp = WORD(ts);			/* (2) */
		atomic {					/* (3) */
			if
#ifndef NO_RETRY
			:: pos != at
#ifdef JUMPS
			:: pos != at -> dropped = 1; break
#endif
			:: pos == at ->
#else
			:: true ->
#endif
				pos = at + 1 + absolute;
				done = 1
			fi
		}
	od;
	if
	:: dropped -> keep(); goto left
	:: else -> write_stamp = WORD(ts)			/* (4) */
	fi;
	/* The short way is for a writer that has interrupted no other. */
	if
	:: outer && before_stamp != WORD(ts) -> pad = at; seen = last; keep(); at = pad; last = seen
	:: else
	fi;
	d_step {
		if
		:: absolute ->
			type[at] = STAMP;
			value[at] = ts;
			meant[at] = ts;
			at++;
			last = WORD(ts)
		:: else
		fi;
		type[at] = EVENT;
		value[at] = ts - TIME(last);
		meant[at] = ts
	}
}

/* rb_write_take_back(), or pad() when there is something behind the event. */
inline discard()
{
	prev = ts - value[at];
	known = (write_stamp == WORD(ts));
	done = 0;
	if
	:: pos != at + 1
	:: pos == at + 1 ->
		before_stamp = (known -> WORD(prev) : MARK_BEFORE(write_stamp));
		atomic {
			if
			:: pos == at + 1 -> pos = at; type[at] = NOTHING; done = 1
			:: else
			fi
		}
		if
		:: done && known -> write_stamp = WORD(prev)
		:: else
		fi;
		pad = at;
		keep();
		at = pad
	fi;
	if
	:: !done -> type[at] = PADDING
	:: else
	fi
}

/* Level is _pid: 1 task, 2 irq, 3 NMI. */
proctype writer(byte events) provided (top <= _pid)
{
	byte at, ts, prev, outer, pad;
	short last, before, seen;
	bit done, absolute, known, dropped;

	do
	:: events == 0 -> break
	:: else ->
		atomic {
			top < _pid;
			outer = top;
			top = _pid;
			events--
		}
		reserve();
		if
		:: skip
		:: discard()
		fi;
left:		atomic {
			top = outer;
			at = 0; last = 0; before = 0; ts = 0; prev = 0; outer = 0; pad = 0;
			seen = 0; done = 0; absolute = 0; known = 0; dropped = 0
		}
	od;
	writers--
}

/* A reader comes when all is written. */
proctype reader()
{
	byte i, stamp;

	writers == 0;
	d_step {
		do
		:: i == pos -> break
		:: else ->
			if
			:: type[i] == STAMP ->
				assert(value[i] >= stamp);		/* ORDERED */
				stamp = value[i]
			:: else ->
				assert(type[i] != NOTHING);
				stamp = stamp + value[i]
			fi;
			assert(type[i] == PADDING || stamp == meant[i]);	/* DECODED */
			i++
		od
	}
}

init {
	byte i;

	atomic {
		i = 0;
		do
		:: i == UNITS -> break
		:: else -> type[i] = NOTHING; i++
		od;
		run writer(TASK);
		run writer(IRQ);
		run writer(NMI);
		run reader()
	}
}
