// SPDX-License-Identifier: GPL-2.0
/* The types of arguments: how many bytes a record has of them, and how they are shown. */
#include <linux/array_size.h>
#include <linux/string.h>
#include <linux/types.h>

#include "probes/fetch_program.h"

/* A number; @as: the format of its event shows it as this type. */
#define TYPE_NUMBER(text, as, c_type, fmt, sign, how)					\
	{ .name = text, .shown = as, .format = fmt, .size = sizeof(c_type),		\
	  .is_signed = sign, .print = how }

#define TYPE_STRING(text)								\
	{ .name = text, .shown = "__data_loc char[]", .format = "\\\"%s\\\"",		\
	  .size = sizeof(u32), .is_signed = true, .print = FETCH_PRINT_STRING }

#if BITS_PER_LONG == 64
#define TYPE_WORD	"x64"
#define TYPE_ADDRESS	"u64"
#else
#define TYPE_WORD	"x32"
#define TYPE_ADDRESS	"u32"
#endif

static const struct fetch_type fetch_types[] = {
	TYPE_NUMBER("u8", "u8", u8, "%u", false, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("u16", "u16", u16, "%u", false, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("u32", "u32", u32, "%u", false, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("u64", "u64", u64, "%Lu", false, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("s8", "s8", s8, "%d", true, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("s16", "s16", s16, "%d", true, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("s32", "s32", s32, "%d", true, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("s64", "s64", s64, "%Ld", true, FETCH_PRINT_NUMBER),
	TYPE_NUMBER("x8", "u8", u8, "0x%x", false, FETCH_PRINT_HEX),
	TYPE_NUMBER("x16", "u16", u16, "0x%x", false, FETCH_PRINT_HEX),
	TYPE_NUMBER("x32", "u32", u32, "0x%x", false, FETCH_PRINT_HEX),
	TYPE_NUMBER("x64", "u64", u64, "0x%Lx", false, FETCH_PRINT_HEX),
	TYPE_NUMBER("char", "u8", u8, "'%c'", false, FETCH_PRINT_CHAR),
	TYPE_NUMBER("symbol", TYPE_ADDRESS, unsigned long, "%pS", false, FETCH_PRINT_SYMBOL),
	TYPE_STRING("string"),
	TYPE_STRING("ustring"),
	TYPE_STRING("symstr"),
};

/**
 * fetch_type_find - find a type by its name
 * @name: the name
 * @len: its length
 *
 * Context: any.
 * Return: the type, or NULL.
 */
const struct fetch_type *fetch_type_find(const char *name, size_t len)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fetch_types); i++) {
		if (strlen(fetch_types[i].name) == len && !memcmp(fetch_types[i].name, name, len))
			return &fetch_types[i];
	}
	return NULL;
}

/**
 * fetch_type_number - the type of a number that is printed in decimal
 * @size: its bytes
 * @is_signed: it has a sign
 *
 * Context: any.
 * Return: the type; NULL: no type has this size.
 */
const struct fetch_type *fetch_type_number(unsigned int size, bool is_signed)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fetch_types); i++) {
		if (fetch_types[i].print == FETCH_PRINT_NUMBER && fetch_types[i].size == size &&
		    fetch_types[i].is_signed == is_signed)
			return &fetch_types[i];
	}
	return NULL;
}

/**
 * fetch_type_word - the type of a word of which nobody says anything
 *
 * Context: any.
 * Return: the type.
 */
const struct fetch_type *fetch_type_word(void)
{
	return fetch_type_find(TYPE_WORD, strlen(TYPE_WORD));
}
