/* tp.ask/1: questions to the client that made the call: its person (elicitation), its model
 * (sampling), its folders (roots). Offered by the host.
 *
 * Nothing waits here. A call that has to know something asks for it and ends with TP_OK; the host
 * puts the questions to the client in the way of its protocol version, and runs the call again,
 * with the same arguments, the answers and the state that it left. What a call did before it asked,
 * it does again: ask first, act then, or keep in the state what was done. The second run may reach
 * another instance of the plugin.
 *
 * Source: MCP 2026-07-28, input_required; earlier versions, requests of the server. */
#ifndef TOOLPOST_EXT_ASK_H
#define TOOLPOST_EXT_ASK_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ASK "tp.ask/1"

/* What a client may be able to answer. */
#define TP_ASK_FORM 1u           /* elicitation/create with a form */
#define TP_ASK_URL 2u            /* elicitation/create with a URL */
#define TP_ASK_SAMPLING 4u       /* sampling/createMessage */
#define TP_ASK_SAMPLING_TOOLS 8u /* ... with tools */
#define TP_ASK_ROOTS 16u         /* roots/list */

typedef struct tp_ask_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* returns TP_ASK_... bits of what the caller can be asked; 0 where nobody can.
   * thread  [call] */
  uint32_t (*abilities)(const tp_call* call);

  /* The answer to the question of this key: an ElicitResult, CreateMessageResult or ListRootsResult
   * of MCP, as JSON text. Answers of all earlier rounds stay.
   * returns the text; ptr NULL where there is none yet.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*answer)(const tp_call* call, tp_str key);

  /* Adds one question to this round.
   * shape   key names it among the call's questions; method is "elicitation/create",
   *         "sampling/createMessage" or "roots/list"; params_json its params as MCP 2026-07-28 has
   *         them. A key that has an answer is asked anew, and loses it.
   * returns TP_OK; TP_E_UNSUPPORTED where the client cannot be asked this: a call that then ends
   *         with TP_E_UNSUPPORTED is told to lack that ability; TP_E_INVALID for a malformed
   *         question or a key that is there twice; TP_E_NOMEM for too many.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*ask)(tp_call* call, tp_str key, tp_str method, tp_str params_json);

  /* What the round before left, byte for byte; empty in the first.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*state)(const tp_call* call);

  /* Leaves bytes for the next round, at most 16 KiB; a second time replaces them. The client never
   * sees them.
   * returns TP_OK or TP_E_NOMEM.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*keep)(tp_call* call, tp_str state);
} tp_ask_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ASK_H */
