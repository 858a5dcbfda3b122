/* tp.ask/1 lets a call ask the client that made it: the client's user (elicitation), its model
 * (sampling), or the client itself for its folders (roots). The host offers tp.ask/1 to plugins.
 *
 * None of the functions of tp.ask/1 waits for an answer. To ask, a call adds its questions with
 * ask(), and then ends with TP_OK. The host sends the questions in the way that the client's
 * protocol version requires. When the client has answered, the host runs the call again with the
 * same arguments, the answers, and the state that the call kept. Each run of the call is one round.
 * The second run of a call repeats everything that the first run did before it asked. Ask before
 * you act, or use keep() to remember which steps of the call are done. The second run of a call can
 * reach a different instance of the plugin.
 *
 * tp.ask/1 follows the results "input_required" of MCP 2026-07-28. If the client has an earlier
 * protocol version, the host sends the questions as requests instead. */
#ifndef TOOLPOST_EXT_ASK_H
#define TOOLPOST_EXT_ASK_H

#include "toolpost/plugin.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_EXT_ASK "tp.ask/1"

/* The kinds of questions that a client can support. */
#define TP_ASK_FORM 1u           /* elicitation/create with a form */
#define TP_ASK_URL 2u            /* elicitation/create with a URL */
#define TP_ASK_SAMPLING 4u       /* sampling/createMessage without tools */
#define TP_ASK_SAMPLING_TOOLS 8u /* sampling/createMessage with tools */
#define TP_ASK_ROOTS 16u         /* roots/list */

typedef struct tp_ask_api {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Returns the kinds of questions that the calling client supports.
   * returns TP_ASK_... bits; 0 if the client cannot be asked.
   * thread  [call] */
  uint32_t (*abilities)(const tp_call* call);

  /* Returns the answer to the question with this key: an ElicitResult, CreateMessageResult or
   * ListRootsResult of MCP, as JSON text. The answers of all earlier rounds remain available in
   * later rounds.
   * returns the text; ptr is NULL if there is no answer yet.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*answer)(const tp_call* call, tp_str key);

  /* Adds one question. The host sends the question to the client when this run of the call has
   * ended.
   * shape   `key` identifies the question within the call. `method` is "elicitation/create",
   *         "sampling/createMessage" or "roots/list". `params_json` contains the method's params of
   *         MCP 2026-07-28. A URL to open must use https, or http with localhost or a loopback
   *         address. If the question with this key already has an answer, the host drops this
   *         answer.
   * returns TP_OK; TP_E_UNSUPPORTED if the client does not support such a question: end the call
   *         with TP_E_UNSUPPORTED too, and the host reports which capability the client lacks;
   *         TP_E_INVALID for a malformed question or a key that is used twice in this round;
   *         TP_E_NOMEM for too many questions.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*ask)(tp_call* call, tp_str key, tp_str method, tp_str params_json);

  /* Returns the bytes that the previous round passed to keep(). The state is empty in the first
   * round of the call.
   * owner   borrowed until the call completes.
   * thread  [call] */
  tp_str (*state)(const tp_call* call);

  /* Keeps `state`, at most 16 KiB, for the next round of the call. The client never sees `state`.
   * If keep() is called twice in a round, the second `state` replaces the first.
   * returns TP_OK; TP_E_NOMEM if there are more bytes.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*keep)(tp_call* call, tp_str state);
} tp_ask_api;

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_EXT_ASK_H */
