/* tp.args/1 gives a plugin the arguments of a call, one value at a time, so the plugin needs no
 * JSON parser. The host offers tp.args/1 to plugins.
 *
 * Use the functions in call() and in the optional functions of a tool, such as check_permissions().
 * If one of the functions of tp.args/1 was used before call() returned, all of them can be used
 * until the call completes. The host parses the arguments once, when a function of tp.args/1 is
 * first used. The arguments are valid against the tool's input schema, so a plugin only needs to
 * check rules that the schema does not express. */
#ifndef TOOLPOST_EXT_ARGS_H
#define TOOLPOST_EXT_ARGS_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ARGS "tp.args/1"

typedef struct tp_args_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Reads a string and decodes its JSON escapes.
   * shape   `pointer` is a JSON Pointer (RFC 6901) such as "/rows/0/name", in all functions of
   *         tp.args/1.
   * returns from all functions: TP_OK with *value set; TP_E_UNSUPPORTED if the arguments have no
   *         value at pointer, or if the value is null; TP_E_INVALID if the value has another type;
   *         TP_E_CANCELLED if the call has ended.
   * owner   The text in *value is valid until the call completes.
   * thread  [call] */
  tp_status (*text)(const tp_call* call, tp_str pointer, tp_str* value);

  /* Reads a whole number that fits into 64 bits. A number that is written 3.0 is a whole number
   * too.
   * thread  [call] */
  tp_status (*integer)(const tp_call* call, tp_str pointer, int64_t* value);

  /* Reads any number.
   * thread  [call] */
  tp_status (*number)(const tp_call* call, tp_str pointer, double* value);

  /* Reads a boolean as 0 or 1.
   * thread  [call] */
  tp_status (*truth)(const tp_call* call, tp_str pointer, int32_t* value);

  /* Returns in *value the number of items of an array, or of members of an object.
   * thread  [call] */
  tp_status (*count)(const tp_call* call, tp_str pointer, uint64_t* value);
} tp_args_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ARGS_H */
