/* The C ABI between Toolpost and its plugins. C11 and C++11 and later; nothing but the standard's
 * headers.
 *
 * A plugin is one shared library that exports one function, toolpost_plugin_v1(). It returns a
 * constant description: who the plugin is, its tools, and how to make an instance of it. The host
 * then makes an instance and calls it through a table of functions; the instance answers by pushing
 * bytes into the host's table. Neither side ever frees the other's memory.
 *
 * The same library runs in a process of its own (a worker, the default) or inside the host's
 * (inline, for trusted code): it cannot tell which, so it may keep no pointer that the host lent
 * it, and there is nothing here but bytes, numbers and opaque handles.
 *
 * WHAT THIS ABI DOES NOT PROTECT FROM: code inside a process can do all that the process can. An
 * inline plugin is as trusted as the host itself. Only the worker process is a boundary.
 *
 * Threads. Each function names who may call it, and when:
 *   [control]    one at a time for one instance; may overlap [call].
 *   [call]       inside call() or a check function, or on the thread that owns a pending call.
 *   [any-thread] at any time between create() and the return of destroy().
 * No call arrives before activate() has returned or after quiesce() was called.
 *
 * A plugin must not: keep a tp_str after the function that lent it returns, let an exception or a
 * longjmp cross this boundary, install signal handlers, call exit, setenv, chdir, umask or
 * setlocale, or fork.
 *
 * How the ABI grows. A shipped field never moves nor changes; new ones are appended, and TP_HAS
 * tells whether the other side knows a field. What either side may lack is an extension, asked for
 * by an id like "tp.context/1"; an extension that changes gets a new id. A new major version gets a
 * new symbol, and a library may export both.
 */
#ifndef TOOLPOST_PLUGIN_H
#define TOOLPOST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define TOOLPOST_VERSION "0.1.0"

#if defined(__cplusplus)
extern "C" {
#endif

#define TP_ABI_MAJOR 1
/* For people and logs: what the other side can do is found out by TP_HAS and by extensions. */
#define TP_ABI_MINOR 0

/* Does the struct that `p` points to, as its maker knew it, have the field `f`? */
#if defined(__cplusplus)
#define TP_HAS(type, p, f) \
  ((p)->struct_size >= offsetof(type, f) + sizeof(static_cast<const type*>(p)->f))
#else
#define TP_HAS(type, p, f) ((p)->struct_size >= offsetof(type, f) + sizeof(((const type*)(p))->f))
#endif

#if defined(_WIN32)
#define TP_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define TP_EXPORT __attribute__((visibility("default")))
#else
#define TP_EXPORT
#endif

/* UTF-8 text or raw bytes by pointer and length; not NUL-terminated. Frozen for ever. ptr may be
 * NULL where len is 0. */
typedef struct tp_str {
  const char* ptr;
  uint64_t len;
} tp_str;

/* An array of tp_str. Frozen for ever. */
typedef struct tp_strs {
  const tp_str* items;
  uint64_t count;
} tp_strs;

/* A tp_str of a string literal, fit for static initialisers. */
#define TP_STR(literal) \
  { (literal), sizeof(literal) - 1 }

/* What a function answers. Negative: it did not do what was asked. */
typedef int32_t tp_status;
#define TP_OK 0
#define TP_PENDING 1          /* from call() only: complete() will follow, exactly once */
#define TP_E_INVALID (-1)     /* an argument is wrong in a way that a schema cannot express */
#define TP_E_UNSUPPORTED (-2) /* not known, or not offered here */
#define TP_E_CANCELLED (-3)   /* the call was cancelled: stop */
#define TP_E_DEADLINE (-4)    /* the call's time is over */
#define TP_E_DENIED (-5)      /* not permitted */
#define TP_E_BUSY (-6)        /* not now; try later */
#define TP_E_NOMEM (-7)       /* out of memory, or over a size limit */
#define TP_E_INTERNAL (-8)    /* the plugin's or the host's own fault */
/* -1000 and below belong to the host. */

/* The host's handle of one instance; valid until destroy() returns. */
typedef struct tp_host tp_host;
/* One call; valid until it completes: when call() returns anything but TP_PENDING, or complete().
 */
typedef struct tp_call tp_call;
/* The plugin's own instance; the host only passes it back. */
typedef void tp_instance;

/* ---- What the host offers ------------------------------------------------------------------- */

/* Kinds of pushed result. Each push makes one content block, in order. */
#define TP_TEXT 1u /* UTF-8 text; mime ignored */
#define TP_JSON                                                                     \
  2u /* one JSON value: the structured content, at most one per call; mime ignored. \
        Where nothing else is pushed, the host adds its text as a text block. */
#define TP_BLOB \
  3u /* raw bytes; mime tells what: image and audio blocks, else an embedded resource */
#define TP_RESOURCE_LINK \
  4u /* one JSON object {"uri", "name", ...} of MCP's resource_link; mime ignored */
#define TP_CONTENT \
  5u /* one JSON object, a whole MCP content block as it should be sent; mime ignored */
#define TP_KIND_MASK 0xffu
/* or-ed to TP_TEXT or TP_BLOB: the next push continues this block */
#define TP_MORE 0x100u
/* or-ed to TP_TEXT or TP_JSON: for the caller to watch, now; never part of the model's result */
#define TP_PARTIAL 0x200u

/* Levels of log(), the numbers of RFC 5424 by severity turned round. */
#define TP_LOG_DEBUG 0
#define TP_LOG_INFO 1
#define TP_LOG_NOTICE 2
#define TP_LOG_WARNING 3
#define TP_LOG_ERROR 4
#define TP_LOG_CRITICAL 5

/* The host's table: lent by create(), valid until destroy() returns. */
typedef struct tp_host_api {
  uint32_t struct_size;
  uint32_t abi_minor;

  /* A table of the host's own for an extension id, or NULL where the host does not offer it.
   * shape   id is a NUL-terminated string like "tp.context/1".
   * owner   the table belongs to the host, valid until destroy() returns.
   * thread  [any-thread] */
  const void* (*extension)(tp_host* host, const char* id);

  /* Writes one line to the host's log, under the plugin's name.
   * shape   json_fields is one JSON object of further fields, or empty.
   * owner   copied before return.
   * thread  [any-thread] */
  void (*log)(tp_host* host, int32_t level, tp_str message, tp_str json_fields);

  /* Pushes one block of the call's result.
   * shape   kind is TP_TEXT ... TP_CONTENT with flags; mime a media type where the kind has one.
   * returns TP_OK; TP_E_INVALID for bad UTF-8, bad JSON or a second TP_JSON (nothing was taken);
   *         TP_E_NOMEM over the host's size limit; TP_E_CANCELLED once nobody waits for the result;
   *         TP_E_BUSY when the receiver is slow: pause and push again.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*result)(tp_call* call, uint32_t kind, tp_str mime, tp_str bytes);

  /* Says that the tool failed: the model gets `message` as an isError result and can correct
   * itself. Blocks pushed before stay in front of it. The call then ends with TP_OK. Where it ends
   * with TP_E_INTERNAL, the fault is the plugin's and nothing that a model could mend: the message
   * goes to the log, and the caller gets a protocol error in place of a result.
   * shape   code is the plugin's own, for logs; json_data one JSON value or empty.
   * returns as result().
   * owner   copied before return.
   * thread  [call] */
  tp_status (*error)(tp_call* call, int32_t code, tp_str message, tp_str json_data);

  /* Tells how far the call has come. The host limits the rate: dropping some is not an error.
   * units   done grows; total in the same unit, 0 where unknown.
   * returns TP_OK; TP_E_CANCELLED once the call should stop.
   * thread  [call] */
  tp_status (*progress)(tp_call* call, double done, double total, tp_str message);

  /* Non-zero once the call should stop: poll it in loops. Cheap.
   * thread  [call] */
  int32_t (*cancelled)(const tp_call* call);

  /* units   CLOCK_MONOTONIC nanoseconds; 0 where the call has none.
   * thread  [call] */
  int64_t (*deadline_ns)(const tp_call* call);

  /* Ends a call whose call() returned TP_PENDING. The handle is dead from here on. A second one, or
   * one after the host gave the call up, is logged and does nothing.
   * thread  [any-thread] */
  void (*complete)(tp_call* call, tp_status status);
} tp_host_api;

/* ---- What the plugin is --------------------------------------------------------------------- */

/* Flags of a tool. 0 is the contract's default: it may write, may run beside itself, may destroy,
 * is not idempotent, and touches the open world. */
#define TP_TOOL_READ_ONLY \
  (UINT64_C(1) << 0) /* changes nothing anywhere: such calls are allowed unasked */
#define TP_TOOL_SERIAL (UINT64_C(1) << 1)   /* never two calls of this tool at once */
#define TP_TOOL_EXTERNAL (UINT64_C(1) << 2) /* executed by somebody else: call() never sees it */
#define TP_TOOL_STATE_INJECTED (UINT64_C(1) << 3) /* gets a snapshot of the session's state */
#define TP_TOOL_STRICT (UINT64_C(1) << 4)         /* `strict: true` for the model ... */
#define TP_TOOL_NOT_STRICT (UINT64_C(1) << 5)     /* ... `strict: false`; neither: unset */
#define TP_TOOL_IDEMPOTENT \
  (UINT64_C(1) << 6) /* twice with the same arguments does no more than once */
#define TP_TOOL_NOT_DESTRUCTIVE (UINT64_C(1) << 7) /* writes, but only adds */
#define TP_TOOL_CLOSED_WORLD (UINT64_C(1) << 8)    /* touches nothing outside its own domain */
#define TP_TOOL_NONBLOCKING (UINT64_C(1) << 9)     /* answers within microseconds and never waits */
/* A call may take long: a client that follows tasks (MCP's io.modelcontextprotocol/tasks) gets a
 * task at once, in place of waiting, and what the call asks is asked in the task. Any other client
 * waits. Gates come first: a call that is refused, or has wrong arguments, never becomes a task. */
#define TP_TOOL_LONG_RUNNING (UINT64_C(1) << 10)
/* The same, and no other client can call it. */
#define TP_TOOL_NEEDS_TASK (UINT64_C(1) << 11)
/* With one of these two: its first run only finds out what to ask, and ends soon. It is waited for,
 * and the task is made for the run that has answers; a first run that asks nothing is the call. */
#define TP_TOOL_ASKS_FIRST (UINT64_C(1) << 12)
/* One bit for each optional function, so that none is called in vain. */
#define TP_TOOL_HAS_CHECK_PERMISSIONS (UINT64_C(1) << 16)
#define TP_TOOL_HAS_MATCH_RULE (UINT64_C(1) << 17)
#define TP_TOOL_HAS_GENERATE_SUGGESTIONS (UINT64_C(1) << 18)
#define TP_TOOL_HAS_CHECK_READ_ONLY (UINT64_C(1) << 19)

/* One tool. Its name's prefix has a meaning: none standard, _ internal, pre_ asked every time,
 * post_ run after its action, priv_ guarded by a one-time code; mcp_ is the host's own. */
typedef struct tp_tool {
  uint32_t struct_size;
  uint32_t default_timeout_ms; /* 0: the host's default */
  uint64_t flags;              /* TP_TOOL_... */
  tp_str name;                 /* ^[A-Za-z0-9_-]{1,64}$ */
  tp_str title;                /* for people; may be empty */
  tp_str description;          /* the model decides by it; required */
  tp_str input_schema;         /* JSON Schema text of an object */
  tp_str output_schema;        /* of the TP_JSON result; empty: none */
  uint32_t max_inflight;       /* calls of this tool at once; 0: no bound of its own */
  uint32_t reserved;           /* 0 */
  tp_str exclusive;            /* never two calls of tools that share this name; empty: none */
  tp_str group;                /* the tool group, named like a tool; empty: basic */
  tp_str presets; /* JSON object of arguments that are fixed and hidden from the model; or empty */
  tp_strs dangerous_paths; /* names of files and directories added to the host's own list */
  tp_strs path_args;       /* JSON pointers to arguments that are paths, like "/path" */
  tp_str command_arg;      /* JSON pointer to the argument that is a shell command; or empty */
  tp_strs after; /* post_ only: names of the actions it follows, beside those its name tells */
  tp_str icons;  /* JSON array of MCP icons; or empty */
} tp_tool;

/* Concurrency of an instance. */
#define TP_SERIAL 0u     /* one call at a time for the whole instance, on any thread */
#define TP_CONCURRENT 1u /* any number of calls at once, on any threads */

/* An instance's table: plugin-owned, constant, valid until destroy() returns. Every pointer save
 * call and destroy may be NULL. */
typedef struct tp_instance_api {
  uint32_t struct_size;
  uint32_t
      concurrency; /* TP_SERIAL or TP_CONCURRENT; the same for every instance of this library */

  /* The instance may start threads now. A failure refuses this build of the plugin.
   * thread  [control] */
  tp_status (*activate)(tp_instance* self);

  /* Runs one tool call to its end.
   * shape   tool is an index into tp_plugin.tools; args_json is one UTF-8 JSON object, valid
   * against that tool's input schema, presets included. returns TP_OK once the result was pushed
   * (with nothing pushed, the call has failed); TP_PENDING when complete() will follow, exactly
   * once; TP_E_CANCELLED after a cancel; TP_E_INVALID for what a schema cannot express. A failure
   * that the model should read is pushed with host->error, not returned as a status. owner
   * args_json is borrowed until return; call belongs to the host. thread  [call] never twice at
   * once for one instance that says TP_SERIAL. source  MCP 2026-07-28, tools/call. */
  tp_status (*call)(tp_instance* self, uint32_t tool, tp_str args_json, tp_call* call);

  /* A hint that a call should stop: wake what waits. Must not block; the call still ends as ever.
   * thread  [any-thread], never after the call completed. */
  void (*cancel)(tp_instance* self, tp_call* call);

  /* No further call will come: join threads, drop timers, complete what is pending.
   * units   grace_ms: after that the host gives up waiting.
   * thread  [control] */
  tp_status (*quiesce)(tp_instance* self, uint32_t grace_ms);

  /* The last call on this instance.
   * thread  [control] */
  void (*destroy)(tp_instance* self);

  /* A table of the plugin's own for an extension id, or NULL.
   * thread  [any-thread] */
  const void* (*extension)(tp_instance* self, const char* id);

  /* The four optional functions of a tool; a tool says by TP_TOOL_HAS_... that it has one. All take
   * the effective arguments and a context
   *   {"mode": "default|accept_edits|explore|bypass|dont_ask", "working_dirs": ["/abs", ...]}
   * and push their answer with host->result(call, TP_JSON, ...), then return TP_OK. They must be
   * quick and change nothing. Any other status, or a malformed answer, counts as an ask.
   * thread  [call], like call(). */

  /* May this call run?
   * shape   {"behavior": "allow|ask|deny|passthrough", "message": text, "reason"?: text,
   *          "safety"?: bool (an ask that holds in every mode),
   *          "cwd"?: text (of a tool with command_arg: the absolute path of the folder in which
   *          this call's command runs, from which the host judges its relative paths)} */
  tp_status (*check_permissions)(tp_instance* self, uint32_t tool, tp_str args_json,
                                 tp_str context_json, tp_call* call);
  /* Does a rule with this content match the call? The context has "rule_content": text.
   * shape   true | false */
  tp_status (*match_rule)(tp_instance* self, uint32_t tool, tp_str args_json, tp_str context_json,
                          tp_call* call);
  /* Which rules would allow calls like this one?
   * shape   [{"content": text or null}, ...] */
  tp_status (*generate_suggestions)(tp_instance* self, uint32_t tool, tp_str args_json,
                                    tp_str context_json, tp_call* call);
  /* Does this very call change nothing?
   * shape   true | false */
  tp_status (*check_read_only)(tp_instance* self, uint32_t tool, tp_str args_json,
                               tp_str context_json, tp_call* call);
} tp_instance_api;

/* Flags of a plugin. */
#define TP_PLUGIN_PIN (1u << 0)          /* once loaded inline it is never unloaded */
#define TP_PLUGIN_NEEDS_INLINE (1u << 1) /* cannot run in a worker */
#define TP_PLUGIN_NO_INLINE (1u << 2)    /* must not run inside the host */

/* What the library is. Constant: the same pointer and bytes at every call. */
typedef struct tp_plugin {
  uint32_t struct_size;
  uint32_t abi_major;         /* TP_ABI_MAJOR */
  uint32_t abi_minor;         /* TP_ABI_MINOR */
  uint32_t flags;             /* TP_PLUGIN_... */
  uint32_t host_api_min_size; /* the smallest tp_host_api that will do; 0: any */
  uint32_t tool_count;
  uint32_t tool_stride; /* sizeof(tp_tool) as the plugin saw it: the host steps by this */
  uint32_t reserved;    /* 0 */
  const tp_tool* tools;
  tp_str id;      /* reverse DNS, like "io.toolpost.hello"; required */
  tp_str name;    /* for people; required */
  tp_str version; /* required; at most 128 bytes */
  tp_str vendor;  /* may be empty, like the next two */
  tp_str license;
  tp_str build_info;
  const char* const* required_ext; /* host extensions without which create() is not tried;
                                      NULL-terminated, or NULL */
  const char* const* optional_ext;
  tp_strs permissions; /* what it would like to be granted: "fs:ro:PATH", "net:https://HOST", ... */

  /* Makes one instance. May be called several times, for several instances.
   * shape   config_json is one JSON object: the settings of this plugin, valid against
   *         config_schema.
   * returns TP_OK with *api and *out set; TP_E_INVALID for settings that it cannot use (log why).
   * owner   host_api and host stay the host's, valid until destroy() returns.
   * thread  [control] */
  tp_status (*create)(const tp_host_api* host_api, tp_host* host, tp_str config_json,
                      const tp_instance_api** api, tp_instance** out);

  tp_str config_schema; /* JSON Schema of the settings object: where they do not fit, the host says
                           which and why and does not call create(); empty: any */
} tp_plugin;

/* The only exported symbol. Pure: no allocation, no threads, no I/O. */
TP_EXPORT const tp_plugin* toolpost_plugin_v1(void);
#define TP_ENTRY_SYMBOL "toolpost_plugin_v1"

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_PLUGIN_H */
