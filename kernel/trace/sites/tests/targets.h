/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions with long names, for the tests of the index: of 254, 255 and 256 characters. A
 * name of 300 characters is another name of site_index_short().
 */
#ifndef _TRACE_SITES_TESTS_TARGETS_H
#define _TRACE_SITES_TESTS_TARGETS_H

#define SITE_INDEX_PASTE_(a, b)	a ## b
#define SITE_INDEX_PASTE(a, b)	SITE_INDEX_PASTE_(a, b)
#define SITE_INDEX_50	site_index_has_functions_whose_names_are_as_long_1
#define SITE_INDEX_100	SITE_INDEX_PASTE(SITE_INDEX_50, SITE_INDEX_50)
#define SITE_INDEX_200	SITE_INDEX_PASTE(SITE_INDEX_100, SITE_INDEX_100)
#define SITE_INDEX_250	SITE_INDEX_PASTE(SITE_INDEX_200, SITE_INDEX_50)
#define SITE_INDEX_254	SITE_INDEX_PASTE(SITE_INDEX_250, _254)
#define SITE_INDEX_255	SITE_INDEX_PASTE(SITE_INDEX_250, __255)
#define SITE_INDEX_256	SITE_INDEX_PASTE(SITE_INDEX_250, ___256)
#define SITE_INDEX_300	SITE_INDEX_PASTE(SITE_INDEX_250, SITE_INDEX_50)

int SITE_INDEX_254(int x);
int SITE_INDEX_255(int x);
int SITE_INDEX_256(int x);
int site_index_short(int x);
int SITE_INDEX_300(int x);

#endif /* _TRACE_SITES_TESTS_TARGETS_H */
