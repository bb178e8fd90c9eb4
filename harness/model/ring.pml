/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of kernel/trace/buffer/ for spin: the slots, nested writers of one
 * CPU, a consuming reader or an iterator on another, a change of size.  Time
 * stamps are in stamps.pml.
 *
 * Each access to what is shared is a step of its own, so whatever may come in
 * between comes in between.  Events are numbers: the n-th reservation writes n.
 * A position is base + offset, in events; a sub-buffer takes CAP of them, and
 * PER = CAP + 1 positions, since its end is not the beginning of the next.
 *
 * Memory: what the writer's CPU stores to data, first and filled is seen by the other
 * CPU at once or only after the writer's next barrier, as spin chooses.  Loads
 * are in order, but where a barrier is taken out (NO_...): then they are not.
 *
 * Configured by -D: TASK, IRQ, NMI events of each context; CAP; OVERWRITE;
 * one of CONSUMER, ITERATOR; RESIZE (to one slot more); WORDS
 * (outermost writers go the short way of short.h); and to see
 * the model fail NO_WC, NO_RC, NO_IV, NO_END, NO_LOOK, NO_HELP, NO_CROSSED, NO_LEFT, NO_CLOSE.
 *
 * Invariants, as ring.h and write.c have them:
 *	TAKEN		no writer opens the memory that a reader has taken
 *	COMPLETE	what lies below commit_pos is what was written there
 *	NUMBERED	rb_sub::first plus the index in it is the event's number
 *	COUNTED		read + lost = written, at each event and in the end
 *	OUTERMOST	when no writer is active, commit_pos is pos
 *	OPEN		nor is the limit closed then, but for a gap
 *	PROGRESS	a writer tries again only because others have written
 */
#ifndef CAP
#define CAP	1
#endif
#ifndef TASK
#define TASK	2
#endif
#ifndef IRQ
#define IRQ	2
#endif
#ifndef NMI
#define NMI	1
#endif
#ifndef OVERWRITE
#define OVERWRITE 1
#endif

#define NR	2			/* slots at the beginning */
#ifdef RESIZE
#define MAX_NR	(NR + 1)
#else
#define MAX_NR	NR
#endif
#define SUBS	(MAX_NR + 1)		/* and the reader's */
#define PER	(CAP + 1)
#define NONE	255

/* A slot's word. */
#define EMPTY(d)	(d)
#define DATA(d, base)	((d) + 4 + 8 * ((base) / PER))
#define ID(word)	((word) & 3)
#define HAS_DATA(word)	(((word) & 4) != 0)

#define WITHIN(pos, base)	((pos) >= (base) && (pos) - (base) <= CAP)
#define NEXT(slot)	((slot) + 1 == nr -> 0 : (slot) + 1)

short	pos, commit_pos;
short	limit;				/* 0: there is a gap */
#define CROSSED	-1			/* another limit below all positions */
byte	tail, commit_sub, context, crossed, left, closed, quiesced;
byte	overrun, dropped, commit_overrun;
byte	nr = NR;
short	slots[MAX_NR];
short	base[SUBS];
byte	slot_of[SUBS], entries[SUBS], short_entries[SUBS], entries_base[SUBS], end[SUBS];
#define ALL(d)	(entries[d] + short_entries[d])

/* Stored by the writer's CPU (w_) and seen by the other. */
byte	w_data[SUBS * CAP], data[SUBS * CAP];
byte	w_first[SUBS], first[SUBS];
byte	w_filled[SUBS], filled[SUBS];

byte	top;				/* level that runs on the writer's CPU */
byte	written;			/* events reserved */
byte	writers = 3;			/* writers that are not done */
bit	reader_lock;
byte	reader = NR, reader_off, taken, lost, consumed, next_number;

#define STORE(name, i, value)						\
	atomic {							\
		w_##name[i] = value;					\
		if							\
		:: name[i] = value					\
		:: skip							\
		fi							\
	}

inline barrier()
{
	d_step {
		i = 0;
		do
		:: i < SUBS * CAP -> data[i] = w_data[i]; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SUBS -> first[i] = w_first[i]; filled[i] = w_filled[i]; i++
		:: else -> break
		od;
		i = 0
	}
}

/* Steps (A) and (B): the slot behind sub gets the next sub-buffer, or got is NONE. */
inline open_next()
{
	atomic {
		next_base = base[sub] + PER;
		slot = NEXT(slot_of[sub]);
		word = slots[slot];
		won = 0
	}
	do
	:: atomic {
		word == DATA(ID(word), next_base) ->
			got = ID(word);
			break
	   }
	:: atomic {
		word != DATA(ID(word), next_base) ->
			got = ID(word);
			if
			:: !HAS_DATA(word)
			:: HAS_DATA(word) && !OVERWRITE ->
				dropped++;
				limit = 0;
				got = NONE
			:: HAS_DATA(word) && OVERWRITE &&
			   commit_pos - (next_base - nr * PER) <= CAP ->
				commit_overrun++;
				limit = 0;
				got = NONE
			:: HAS_DATA(word) && OVERWRITE &&
			   commit_pos - (next_base - nr * PER) > CAP
			fi;
			count = (got == NONE -> 0 : ALL(got))
	   }
		if
		:: got == NONE -> break
		:: else
		fi;
		atomic {			/* WO */
			if
			:: slots[slot] == word ->
				assert(got != reader);		/* TAKEN */
				slots[slot] = DATA(got, next_base);
				barrier();
				won = 1
			:: else -> word = slots[slot]
			fi
		}
		if
		:: won ->
			atomic {
				if
				:: HAS_DATA(word) ->
					overrun = overrun + count - entries_base[got]
				:: else
				fi;
				entries_base[got] = count
			}
			break
		:: else
		fi
	od;
	if
	:: got != NONE ->
		base[got] = next_base;
		slot_of[got] = slot
	:: else
	fi
}

/* mine becomes the event's number, or NONE; sub and at say where it is. */
inline reserve()
{
	mine = NONE;
	got = 0;
	tries = 0;
	do
	:: mine != NONE || got == NONE -> break
	:: else ->
		atomic {
			at = pos;			/* (1) */
			tries++;
			assert(tries <= IRQ + NMI + 2)	/* PROGRESS */
		}
		sub = tail;
		if
		:: atomic { !WITHIN(at, base[sub]) ->
#ifndef NO_HELP
			word = (at > base[sub] -> slots[NEXT(slot_of[sub])] : NONE)
#else
			word = NONE
#endif
		   }
			atomic {
				if
				:: word != NONE && tail == sub -> tail = ID(word)
				:: else
				fi
			}
		:: atomic { WITHIN(at, base[sub]) && limit != 0 && at - base[sub] < CAP -> skip }
			atomic {		/* (3) */
				if
				:: pos == at ->
					pos = at + 1;
					mine = written;
					written++
				:: else
				fi
			}
		:: atomic { WITHIN(at, base[sub]) && (limit == 0 || at - base[sub] == CAP) -> skip }
			open_next();
			if
			:: got == NONE -> skip
			:: else ->
				atomic {		/* (C) */
					if
					:: pos == at ->
						pos = next_base + 1;
						mine = written;
						written++
					:: else
					fi
				}
				if
				:: mine == NONE -> skip
				:: else ->		/* (D) */
					end[sub] = at - base[sub];
					crossed = 1;
#ifdef NO_CROSSED
					limit = next_base + CAP;
#else
					limit = CROSSED;
#endif
					atomic {	/* (E) */
						if
						:: tail == sub -> tail = got
						:: else
						fi;
						sub = got;
						at = next_base
					}
				fi
			fi
		fi
	od
}

inline publish()
{
#ifndef NO_WC
	barrier();
#endif
	commit_pos = at
}

/* (F): the outermost has committed what lies before sub. */
inline open_limit()
{
	atomic {
		next_base = 0;
		if
		:: limit == CROSSED -> next_base = base[sub] + CAP
		:: else
		fi
	}
	if
	:: next_base != 0 ->
		atomic {
			if
			:: limit == CROSSED -> limit = next_base
			:: else -> next_base = 0
			fi
		}
#ifndef NO_CLOSE
		if
		:: next_base != 0 && tail != sub ->
			atomic {
				if
				:: limit == next_base -> limit = CROSSED
				:: else
				fi
			}
		:: else
		fi
#endif
	:: else
	fi;
	next_base = 0
}

/* The outermost leaves; won: it has no more to do. */
inline commit_slow()
{
	do
	:: won -> break
	:: else ->
		context = bits;
		crossed = 0;
		left = 0;
		do
		:: true ->
			at = pos;
			got = tail;
			if
			:: WITHIN(at, base[got]) -> break
			:: else
			fi
		od;
		sub = commit_sub;
		next_base = 0; word = 0; slot = 0; count = 0;
		do
		:: sub == got -> break
		:: else ->
			atomic {
				closed = closed + ALL(sub) - entries_base[sub];
			}
			STORE(filled, sub, end[sub]);
			sub = ID(slots[NEXT(slot_of[sub])]);
			STORE(first, sub, closed)
		od;
		commit_sub = sub;
		atomic { publish() }			/* WC */
		open_limit();
		context = 0;
		won = (pos == at)
	od
}

inline commit()
{
	atomic {
		bits = context;
		next_base = 0; word = 0; slot = 0; count = 0; mine = 0; sub = 0; got = 0
	}
	if
	:: (bits & (bits - 1)) != 0 ->
#ifndef NO_LEFT
		left = 1;
#endif
		context = bits & (bits - 1)
	:: else ->
		at = pos;
		won = 0;
		if
		:: atomic { !crossed -> publish() }		/* WC */
			context = 0;
			won = !left
		:: crossed -> skip
		fi;
		commit_slow()
	fi
}

#ifdef WORDS
/* Nobody is active: at is NONE behind it if that did it, else the long way is left. */
inline write_words()
{
	context = bit_of;
	bits = bit_of;
	at = pos;
	if
	:: at < limit ->
		sub = tail;
		atomic {			/* (3) */
			if
			:: pos == at ->
				pos = at + 1;
				mine = written;
				written++
			:: else
			fi
		}
	:: at >= limit -> skip
	fi;
	if
	:: mine != NONE ->
		/* Nobody else comes this way meanwhile. */
		count = short_entries[sub];
		short_entries[sub] = count + 1;
		STORE(data, sub * CAP + at - base[sub], mine);
		at++;
		atomic { publish() }		/* WC */
		context = 0;
		won = !left;
		atomic {
			next_base = 0; word = 0; slot = 0; count = 0; sub = 0; got = 0
		}
		commit_slow();
		at = NONE
	:: else ->
		atomic { at = 0; sub = 0 }
		commit()
	fi
}
#endif

/* Level is _pid: 1 task, 2 irq, 3 NMI; the innermost has the lowest bit. */
proctype writer(byte bit_of, events) provided (top <= _pid)
{
	short at, next_base, word;
	byte sub, got, slot, count, mine, bits, before, tries, i;
	bit won;

	do
	:: events == 0 -> break
	:: else ->
		atomic {
			top < _pid;
			before = top;
			top = _pid
		}
		events--;
		if
		:: quiesced -> dropped++
		:: else ->
#ifdef WORDS
			mine = NONE;
			at = 0;
			if
			:: context == 0 -> write_words()
			:: else
			fi;
			if
			:: at == NONE -> goto leave
			:: else
			fi;
#endif
			context = context | bit_of;
			reserve();
			if
			:: mine != NONE ->
				entries[sub]++;
				STORE(data, sub * CAP + at - base[sub], mine)
			:: else
			fi;
			commit()
		fi;
leave:		atomic {
			/* OUTERMOST */
			assert(before != 0 || (context == 0 && commit_pos == pos));
			/* OPEN */
			assert(before != 0 || limit == 0 || limit == base[tail] + CAP);
			top = before;
			/* Forget, so that states which differ in nothing else are one. */
			at = 0; next_base = 0; word = 0; sub = 0; got = 0; slot = 0;
			count = 0; mine = 0; bits = 0; before = 0; tries = 0; won = 0
		}
	od;
	writers--
}

/* How many of d, at position of_base, are committed when commit_pos was seen? */
#define COMMITTED(d, of_base)	\
	(WITHIN(seen, of_base) -> seen - (of_base) : filled[d])

/* From of_base and slot to the oldest that is left; found tells whether. */
inline oldest_after()
{
	do
	:: true ->
		seen = commit_pos;			/* RC */
		if
		:: seen - of_base <= 0 -> found = 0; break
		:: else
		fi;
		word = slots[slot];
		if
		:: word == DATA(ID(word), of_base) -> found = 1; break
		:: else
		fi;
		d_step {
			skip_by = 1;
			if
			:: (seen - of_base - 1) / PER >= nr ->
				skip_by = (seen - of_base - 1) / PER - nr + 1
			:: else
			fi;
			of_base = of_base + skip_by * PER;
			slot = (slot + skip_by) % nr
		}
	od
}

#ifdef CONSUMER
inline take_next()
{
	atomic {
		spare = reader;
		of_base = base[spare] + PER;
		slot = NEXT(slot_of[spare]);
		seen = commit_pos;			/* RC */
		have = 0
	}
	if
	:: WITHIN(seen, base[spare]) -> found = 0
#ifndef NO_LOOK
	:: !WITHIN(seen, base[spare]) && reader_off < filled[spare] ->
		/* Closed meanwhile, with more in it. */
		found = 1
	:: !WITHIN(seen, base[spare]) && reader_off >= filled[spare] ->
#else
	:: else ->
#endif
		atomic {
			end_of_spare = first[spare] + ALL(spare) - entries_base[spare]
		}
		do
		:: true ->
			oldest_after();
			if
			:: !found -> break
			:: else
			fi;
			atomic {			/* RT */
				if
				:: slots[slot] == word ->
					slots[slot] = EMPTY(spare);
					reader = ID(word);
					slot_of[reader] = slot;
					reader_off = 0;
					taken = 0;
					break
				:: else
				fi
			}
		od;
		if
		:: found ->
#ifdef NO_END
			end_of_spare = first[spare] + ALL(spare) - entries_base[spare];
#endif
			lost = lost + first[reader] - end_of_spare
		:: else
		fi
	fi
}

inline check(value)
{
	assert(value == first[reader] + taken);		/* NUMBERED, COMPLETE */
	assert(value == next_number + lost);		/* COUNTED */
	next_number = value + 1;
	lost = 0;
	consumed++
}

proctype consumer()
{
	short of_base, word, seen;
	byte spare, slot, skip_by, have, end_of_spare;
	bit found, last;

	do
	:: true ->
		atomic {
			reader_lock == 0;
			reader_lock = 1;
			last = (writers == 0);
			found = 1
		}
		do
		:: true ->
#ifdef NO_RC
			have = data[reader * CAP + (reader_off % CAP)];
#endif
			seen = commit_pos;		/* RC */
			if
			:: reader_off < COMMITTED(reader, base[reader]) ->
#ifndef NO_RC
				have = data[reader * CAP + reader_off];
#endif
				check(have);
				reader_off++;
				taken++;
				break
			:: else ->
				take_next();
				if
				:: !found -> break
				:: else
				fi
			fi
		od;
		atomic {
			reader_lock = 0;
			of_base = 0; word = 0; seen = 0;
			spare = 0; slot = 0; skip_by = 0; have = 0; end_of_spare = 0
		}
		if
		:: !found && last -> break
		:: else
		fi
	od;
	assert(consumed + overrun == written);		/* COUNTED */
	assert(pos == commit_pos && context == 0);	/* OUTERMOST */
}
#endif

#ifdef ITERATOR
#define STILL_THERE	(of_base == 0 || slots[slot] == DATA(sub, of_base))

inline go_on()
{
	do
	:: true ->
		want = of_base;
		oldest_after();
		if
		:: !found -> break
		:: slots[slot] == word ->
			missed = missed || (of_base != want);
			sub = ID(word);
			off = 0;
			break
		:: else
		fi
	od
}

/* Nobody consumes: the reader's memory is that of before the beginning. */
proctype iterator()
{
	short of_base = PER, want, word, seen, last_value = -1;
	byte slot, sub, off, have, skip_by, rounds;
	bit found, missed, there;

	go_on();
	do
	:: rounds == 4 -> break
	:: !found -> break
	:: else ->
		rounds++;
#ifdef NO_IV
		there = STILL_THERE;
#endif
		seen = commit_pos;			/* RC */
		if
		:: off >= COMMITTED(sub, of_base) ->
			if
			:: !STILL_THERE -> missed = 1; go_on()
			:: WITHIN(seen, of_base) -> break
			:: else ->
				of_base = of_base + PER;
				slot = NEXT(slot);
				go_on()
			fi
		:: else ->
			have = data[sub * CAP + off];
#ifndef NO_IV
			there = STILL_THERE;		/* IV */
#endif
			if
			:: !there -> missed = 1; go_on()
			:: else ->
				assert(have > last_value);	/* COMPLETE */
				assert(missed || have == last_value + 1);
				last_value = have;
				missed = 0;
				off++
			fi
		fi
	od
}
#endif

#ifdef RESIZE
/* In hard irq of the writer's CPU: one slot more, and a descriptor for it. */
proctype resizer() provided (top <= 2)
{
	byte before, n, have, slot, i;
	short of_base, word;
	short ring[MAX_NR];
	bit done;

	do
	:: done -> break
	:: else ->
		atomic {
			top < 2 && reader_lock == 0;
			before = top;
			top = 2;
			reader_lock = 1
		}
		quiesced = 1;
		if
		:: context == 0 && pos == commit_pos ->
			/*
			 * No writer but an NMI's, which is turned away.  The ring is
			 * copied so that the tail is the last but the new one, and
			 * descriptors keep their ids.
			 */
			slot = NEXT(slot_of[tail]);
			if
			:: slots[slot] == DATA(ID(slots[slot]), base[tail] + PER) ->
				slots[slot] = EMPTY(ID(slots[slot]))
			:: else
			fi;
			n = 0;
			do
			:: n == nr -> break
			:: else ->
				ring[n] = slots[slot];
				slot = NEXT(slot);
				n++
			od;
			/* The descriptor that is new is the last. */
			ring[n] = EMPTY(SUBS - 1);
			have = (base[tail] - base[reader]) / PER;
			nr = MAX_NR;
			i = 0;
			do
			:: i == MAX_NR -> break
			:: else -> slots[i] = ring[i]; i++
			od;
			slot_of[tail] = MAX_NR - 2;
			slot_of[reader] = (MAX_NR - 2 + MAX_NR - (have % MAX_NR)) % MAX_NR;
			done = 1
		:: else
		fi;
		quiesced = 0;
		atomic {
			reader_lock = 0;
			top = before
		}
		if
		:: writers == 0 && !done -> skip
		:: else
		fi
	od
}
#endif

init {
	atomic {
		/* The writer is in the first sub-buffer, the reader before it. */
		base[0] = PER;
		slots[0] = DATA(0, PER);
		slots[1] = EMPTY(1);
		base[NR] = 0;
		slot_of[NR] = NR - 1;
		pos = PER;
		commit_pos = PER;
		limit = PER + CAP;
		run writer(4, TASK);
		run writer(2, IRQ);
		run writer(1, NMI);
#ifdef CONSUMER
		run consumer();
#endif
#ifdef ITERATOR
		run iterator();
#endif
#ifdef RESIZE
		run resizer()
#endif
	}
}
