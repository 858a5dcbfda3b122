/* plugin.h is the C ABI between Toolpost and its plugins. plugin.h needs C11 or C++11 and includes
 * only headers of the C standard.
 *
 * A plugin is one shared library that exports one function, toolpost_plugin_v1(). The function
 * toolpost_plugin_v1() gives the host a constant description: the plugin's identity, its tools, and
 * how to make an instance. The host makes an instance of the plugin and calls it through a table of
 * functions. The instance sends results by passing bytes to functions of the host's table. Neither
 * side ever frees the memory of the other side.
 *
 * The same library of a plugin runs in a separate process (a worker, the default) or inside the
 * host's process (inline, for trusted code). The plugin cannot find out in which process it runs.
 * So plugin.h passes only bytes, numbers and opaque handles. A plugin must not use a pointer of the
 * host after the time that the function's comment states.
 *
 * WHAT THIS ABI DOES NOT PROTECT FROM: code inside a process can do everything that the process can
 * do. Trust an inline plugin as much as the host itself. Only a worker process protects the host
 * from its plugin.
 *
 * The following rules say on which threads the host calls a plugin. The comment of each function
 * has a tag that says on which thread and at what time the function is called:
 *   [control]    The host calls one [control] function of an instance at a time. A [call] function
 *                of the same instance may run at the same time.
 *   [call]       The function is called inside call() or a check function. While the call is
 *                pending, a [call] function may also be called on the thread that works on the
 *                call.
 *   [any-thread] The function runs on any thread, at any time between create() and the return of
 *                destroy().
 * The host starts tool calls only after activate() has returned, and no tool call after it has
 * called quiesce().
 *
 * A plugin must not use a borrowed tp_str after the time that the function's comment states. No
 * exception and no longjmp may cross the boundary between host and plugin. A plugin must install no
 * signal handlers, and must not call exit, setenv, chdir, umask, setlocale or fork.
 *
 * How the ABI grows. A field of a released version never moves and never changes. New fields are
 * appended to a struct. Use TP_HAS to check whether a struct from the host or from a plugin has a
 * field. An extension is a feature that one side can lack, and has an id like "tp.context/1". An
 * extension that changes gets a new id. A new major version gets a new symbol, and a library may
 * export the symbols of several versions.
 *
 * In the comments of functions, some lines begin with a word that names a part of the contract.
 * A line "shape" describes the encoding and format of the data that is passed. A line "units" gives
 * the units of the numbers. A line "returns" lists each status and what it means. A line "answer"
 * describes what reply->done receives, for functions that take a tp_reply (ext/reply.h). A line
 * "owner" says who frees the memory, or how long it is borrowed. A line "thread" has the tag, which
 * says on which thread and at what time the function is called. A line "source" names the
 * specification that the function follows.
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
/* Use the minor version only in logs and messages. To find out what the host or a plugin can do,
 * use TP_HAS and extensions. */
#define TP_ABI_MINOR 0

/* TP_HAS is true if the struct to which `p` points has the field `f`, because its struct_size
 * covers `f`. */
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

/* A pointer and a length for UTF-8 text or raw bytes, not NUL-terminated. ptr may be NULL if len is
 * 0. This struct never changes. */
typedef struct tp_str {
  const char* ptr;
  uint64_t len;
} tp_str;

/* An array of tp_str. This struct never changes. */
typedef struct tp_strs {
  const tp_str* items;
  uint64_t count;
} tp_strs;

/* TP_STR makes a tp_str from a string literal, and can be used in static initialisers. */
#define TP_STR(literal) \
  { (literal), sizeof(literal) - 1 }

/* tp_status is the status that a function returns. A negative status means that the function
 * failed. */
typedef int32_t tp_status;
#define TP_OK 0
#define TP_PENDING 1          /* the plugin will call complete() exactly once */
#define TP_E_INVALID (-1)     /* an argument is wrong in a way that a schema cannot express */
#define TP_E_UNSUPPORTED (-2) /* the other side does not know or offer what was requested */
#define TP_E_CANCELLED (-3)   /* the call was cancelled: stop */
#define TP_E_DEADLINE (-4)    /* the call did not end before its deadline */
#define TP_E_DENIED (-5)      /* the host does not permit the request */
#define TP_E_BUSY (-6)        /* the request is not possible now: try again later */
#define TP_E_NOMEM (-7)       /* out of memory, or a size limit is exceeded */
#define TP_E_INTERNAL (-8)    /* the plugin or the host has a fault */
/* Statuses of -1000 and below are reserved for the host. */

/* tp_host is the host's handle of one instance. The handle tp_host is valid until destroy()
 * returns. */
typedef struct tp_host tp_host;
/* tp_call is the host's handle of one call. The handle tp_call is valid until the call completes. A
 * call completes when the function call() ends with a status other than TP_PENDING. After
 * TP_PENDING, the call completes when the plugin calls complete(). */
typedef struct tp_call tp_call;
/* The plugin's own instance. The host never looks into a tp_instance, and only passes the pointer
 * back. A plugin in C defines the struct tp_instance and puts its own data there. */
typedef struct tp_instance tp_instance;

/* ---- The following types are the host's side of the ABI. ------------------------------------- */

/* The kinds of blocks that result() pushes. Each push makes one content block, and the blocks keep
 * their order. */
#define TP_TEXT 1u /* UTF-8 text; mime is ignored */
/* A TP_JSON block is one JSON value, which becomes the structured content; mime is ignored. A call
 * can push at most one TP_JSON. If a call pushes no other block than TP_JSON, the host adds the
 * JSON text as a text block. */
#define TP_JSON 2u
/* Raw bytes. If mime is the media type of an image or of audio, the block is an image or audio
 * block. With any other media type, the block is an embedded resource. */
#define TP_BLOB 3u
#define TP_RESOURCE_LINK 4u /* one JSON object, MCP's resource_link: {"uri", "name", ...} */
/* A TP_CONTENT block is one JSON object that is a whole MCP content block. If a TP_CONTENT block is
 * not valid in MCP, the host refuses it with TP_E_INVALID. If the host refuses a block, the call
 * fails unless another block or error() follows. */
#define TP_CONTENT 5u
#define TP_KIND_MASK 0xffu
/* TP_MORE is a flag for TP_TEXT and TP_BLOB: the next push continues this block. */
#define TP_MORE 0x100u
/* TP_PARTIAL is a flag for TP_TEXT and TP_JSON: the host sends the block to the caller immediately,
 * and the block is not part of the call's result. */
#define TP_PARTIAL 0x200u

/* Levels for log(): the severities of RFC 5424, numbered in reverse. */
#define TP_LOG_DEBUG 0
#define TP_LOG_INFO 1
#define TP_LOG_NOTICE 2
#define TP_LOG_WARNING 3
#define TP_LOG_ERROR 4
#define TP_LOG_CRITICAL 5

/* The host's table of functions. create() receives the table, and the table is valid until
 * destroy() returns. */
typedef struct tp_host_api {
  uint32_t struct_size;
  uint32_t abi_minor;

  /* Returns the host's table of functions for an extension id.
   * shape   `id` is a NUL-terminated string like "tp.context/1".
   * returns NULL if the host does not offer the extension.
   * owner   The table belongs to the host, and is valid until destroy() returns.
   * thread  [any-thread] */
  const void* (*extension)(tp_host* host, const char* id);

  /* Writes one line to the host's log, under the plugin's name.
   * shape   `json_fields` is one JSON object with further fields, or empty.
   * owner   copied before return.
   * thread  [any-thread] */
  void (*log)(tp_host* host, int32_t level, tp_str message, tp_str json_fields);

  /* Pushes one block of the call's result.
   * shape   `kind` is one of TP_TEXT to TP_CONTENT, perhaps with TP_MORE or TP_PARTIAL. `mime` is
   *         the media type of a TP_BLOB.
   * returns TP_OK; TP_E_INVALID for bad UTF-8, bad JSON or a second TP_JSON: the block is dropped;
   *         TP_E_NOMEM if the block exceeds the host's size limit; TP_E_CANCELLED if the caller
   *         does not wait for the result any more; TP_E_BUSY if the receiver is slow: pause and
   *         push again.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*result)(tp_call* call, uint32_t kind, tp_str mime, tp_str bytes);

  /* Reports that the tool failed. The model gets `message` as a result with isError, after the
   * blocks that were pushed before. So the model can correct the arguments and call the tool again.
   * After error(), end the call with TP_OK. For a fault of the plugin that a model cannot correct,
   * end the call with TP_E_INTERNAL. If a call ends with TP_E_INTERNAL, the host logs the message,
   * and the caller gets a protocol error instead of a result. If the host refuses the message or
   * the data, and no later error() succeeds, the call fails with an error about the refusal, even
   * if it ends with TP_OK.
   * shape   `code` is chosen by the plugin, for logs. `json_data` is one JSON value of at most 1
   *         MiB, or empty.
   * returns the same statuses as result(); TP_E_NOMEM also if json_data is too large.
   * owner   copied before return.
   * thread  [call] */
  tp_status (*error)(tp_call* call, int32_t code, tp_str message, tp_str json_data);

  /* Reports the call's progress. The host limits the rate of progress reports and drops reports
   * that exceed the limit.
   * units   `done` must increase. `total` has the same unit as `done`; 0 means that it is unknown.
   * returns TP_OK; TP_E_CANCELLED if the call should stop.
   * thread  [call] */
  tp_status (*progress)(tp_call* call, double done, double total, tp_str message);

  /* Returns non-zero if the call should stop. cancelled() is fast, so call it in loops.
   * thread  [call] */
  int32_t (*cancelled)(const tp_call* call);

  /* Returns the call's deadline.
   * units   The deadline is in nanoseconds of CLOCK_MONOTONIC; 0 means that the call has no
   *         deadline.
   * thread  [call] */
  int64_t (*deadline_ns)(const tp_call* call);

  /* Ends a call whose call() returned TP_PENDING. After complete(), the handle of the call is not
   * valid any more. If complete() is called a second time, or after the host has abandoned the
   * call, the host logs this call of complete() and ignores it.
   * thread  [any-thread] */
  void (*complete)(tp_call* call, tp_status status);
} tp_host_api;

/* ---- The following types are the plugin's side of the ABI. ----------------------------------- */

/* The flags of a tool. For a tool without flags, the host assumes that the tool can change and
 * destroy data, is not idempotent, and works with an open world of things, such as the web. Calls
 * of a tool without flags can run at the same time. */
#define TP_TOOL_READ_ONLY (UINT64_C(1) << 0)      /* the tool only reads: no approval is needed */
#define TP_TOOL_SERIAL (UINT64_C(1) << 1)         /* no two calls of the tool run concurrently */
#define TP_TOOL_EXTERNAL (UINT64_C(1) << 2)       /* clients execute the tool, not the host */
#define TP_TOOL_STATE_INJECTED (UINT64_C(1) << 3) /* the tool gets the session's state */
#define TP_TOOL_STRICT (UINT64_C(1) << 4)         /* _meta has "io.toolpost/strict": true */
#define TP_TOOL_NOT_STRICT (UINT64_C(1) << 5)     /* _meta has "io.toolpost/strict": false */
/* A second call of the tool with the same arguments has no further effect. */
#define TP_TOOL_IDEMPOTENT (UINT64_C(1) << 6)
#define TP_TOOL_NOT_DESTRUCTIVE (UINT64_C(1) << 7) /* the tool adds things and destroys nothing */
#define TP_TOOL_CLOSED_WORLD (UINT64_C(1) << 8)    /* MCP's openWorldHint is false */
/* A call of a tool with TP_TOOL_NONBLOCKING returns within microseconds and never waits. */
#define TP_TOOL_NONBLOCKING (UINT64_C(1) << 9)
/* A call of a tool with TP_TOOL_LONG_RUNNING can take long. A client that supports tasks (MCP's
 * io.modelcontextprotocol/tasks) gets a task immediately instead of waiting for the result. If a
 * call that is a task asks questions, the client finds the questions in the task. A client that
 * does not support tasks waits for the result. The host checks permissions and arguments first, so
 * a refused call never becomes a task. */
#define TP_TOOL_LONG_RUNNING (UINT64_C(1) << 10)
/* TP_TOOL_NEEDS_TASK has the effect of TP_TOOL_LONG_RUNNING. A client that does not support tasks
 * cannot call a tool with TP_TOOL_NEEDS_TASK. */
#define TP_TOOL_NEEDS_TASK (UINT64_C(1) << 11)
/* Set TP_TOOL_ASKS_FIRST only together with TP_TOOL_LONG_RUNNING or TP_TOOL_NEEDS_TASK. The first
 * run of a call finds out which questions the call must ask, and ends soon. The client waits for
 * the first run of the call. The host makes the task for the next run of the call, which has the
 * answers. If the first run of the call asks no question, its result is the call's result. */
#define TP_TOOL_ASKS_FIRST (UINT64_C(1) << 12)
/* A tool has one flag for each of its optional functions. The host calls only the optional
 * functions whose flag is set. */
#define TP_TOOL_HAS_CHECK_PERMISSIONS (UINT64_C(1) << 16)
#define TP_TOOL_HAS_MATCH_RULE (UINT64_C(1) << 17)
#define TP_TOOL_HAS_GENERATE_SUGGESTIONS (UINT64_C(1) << 18)
#define TP_TOOL_HAS_CHECK_READ_ONLY (UINT64_C(1) << 19)

/* The description of one tool. The prefix of a tool's name has a meaning:
 *   _      the tool is internal: only other tools can call it;
 *   pre_   every call needs approval, unless the operator sets auto_approve;
 *   post_  the host runs the tool after other tools, which the field `after` lists;
 *   priv_  every call needs a one-time code;
 *   mcp_   the prefix is reserved for the host. */
typedef struct tp_tool {
  uint32_t struct_size;
  uint32_t default_timeout_ms; /* 0: the host's default */
  uint64_t flags;              /* TP_TOOL_... */
  tp_str name;                 /* ^[A-Za-z0-9_-]{1,64}$ */
  tp_str title;                /* the title that users see; may be empty */
  tp_str description;          /* required; says when the model should use the tool */
  tp_str input_schema;         /* the JSON Schema of the arguments object, as text.
                                * Clients see the input schema without presets. The host replaces
                                * hidden characters in the texts of the schema by visible ones like
                                * <U+202E>. */
  tp_str output_schema;        /* JSON Schema of the TP_JSON result; empty: none */
  uint32_t max_inflight;       /* limit of calls that run at the same time; 0: no limit */
  uint32_t reserved;           /* 0 */
  tp_str exclusive;            /* tools with the same text in this field never run concurrently.
                                * An empty text sets no restriction. */
  tp_str group;                /* the tool's group, named like a tool; empty means "basic" */
  tp_str presets;              /* JSON object of fixed arguments, hidden from the model; or empty */
  tp_strs dangerous_paths;     /* names of files and directories that are dangerous for this tool.
                                * The host adds the names in dangerous_paths to the host's list of
                                * such names. */
  tp_strs path_args;           /* JSON pointers to arguments that are paths, like "/path" */
  tp_str command_arg;          /* JSON pointer to the argument that is a shell command; or empty */
  tp_strs after; /* only for post_ tools: the tools after which the host runs this tool.
                  * A tool post_X also runs after X. */
  tp_str icons;  /* JSON array of MCP icons; or empty */
} tp_tool;

/* The values of `concurrency` say how many calls an instance can run at the same time. With
 * TP_SERIAL, the host runs one function with the tag [call] at a time, on any thread, and starts no
 * tool call before the last one has ended. While a call is pending (TP_PENDING), the host can run
 * the instance's other functions: the check functions, and the functions of its resources, prompts,
 * completions and interceptor. The instance's other functions run at the same time as the thread
 * that works on the pending call. An instance that has pending calls must protect data that several
 * threads use. The functions of timers and done() of ext/reply.h also run at any time, so protect
 * their data in the same way. */
#define TP_SERIAL 0u     /* one call at a time for the whole instance */
#define TP_CONCURRENT 1u /* any number of calls at the same time, on any threads */

/* tp_instance_api is an instance's table of functions. The table of an instance belongs to the
 * plugin, is constant, and must be valid until destroy() returns. Every pointer in tp_instance_api
 * except call and destroy may be NULL. */
typedef struct tp_instance_api {
  uint32_t struct_size;
  uint32_t concurrency; /* TP_SERIAL or TP_CONCURRENT; all instances have the same value */

  /* Starts the instance. The instance may start threads in activate() and later, but not earlier.
   * If activate() fails, the host refuses this build of the plugin.
   * thread  [control] */
  tp_status (*activate)(tp_instance* self);

  /* Runs one tool call to its end.
   * shape   `tool` is an index into tp_plugin.tools. `args_json` is one UTF-8 JSON object that
   *         includes the presets and is valid against the tool's input schema.
   * returns TP_OK when the result was pushed; if no block was pushed, the call fails. TP_PENDING if
   *         complete() will follow, exactly once; TP_E_CANCELLED if the call stopped because it was
   *         cancelled; TP_E_INVALID if arguments are wrong in a way that a schema cannot express.
   *         If the model should read about a failure, push the failure with host->error, and return
   *         TP_OK.
   * owner   args_json is borrowed until return; call belongs to the host.
   * thread  [call] On a TP_SERIAL instance, the host runs only one call at a time.
   * source  MCP 2026-07-28, tools/call. */
  tp_status (*call)(tp_instance* self, uint32_t tool, tp_str args_json, tp_call* call);

  /* Asks a call to stop. The function cancel() should wake the threads in which the call waits. The
   * function cancel() must not block, and must not wait for an answer of the host (ext/reply.h).
   * After cancel(), the plugin still has to end the call as usual. The function cancel() can run
   * while another thread ends the call, or shortly afterwards. When cancel() runs, the plugin may
   * already have forgotten the call. The host never uses the handle of a call for another call.
   * thread  [any-thread] */
  void (*cancel)(tp_instance* self, tp_call* call);

  /* The host calls quiesce() when no further call will arrive. quiesce() should join threads, stop
   * timers and complete pending calls.
   * units   `grace_ms` is the longest time in milliseconds that the host waits.
   * thread  [control] */
  tp_status (*quiesce)(tp_instance* self, uint32_t grace_ms);

  /* Destroys the instance. After destroy() the host calls no other function of the instance.
   * thread  [control] */
  void (*destroy)(tp_instance* self);

  /* Returns the plugin's table of functions for an extension id.
   * returns NULL if the plugin does not offer the extension.
   * thread  [any-thread] */
  const void* (*extension)(tp_instance* self, const char* id);

  /* A tool can have the four optional functions below. A tool declares each of its optional
   * functions with a flag TP_TOOL_HAS_... Each function gets the arguments with presets, and a
   * context:
   *   {"mode": "default|accept_edits|explore|bypass|dont_ask", "working_dirs": ["/abs", ...]}
   * The function pushes its answer with host->result(call, TP_JSON, ...) and returns TP_OK. An
   * optional function must be fast, and must not change anything. If an optional function returns a
   * status other than TP_OK, or pushes a malformed answer, the host treats the answer as "ask".
   * thread  [call], like call(). */

  /* Decides whether this call may run.
   * shape   The answer is {"behavior": "allow|ask|deny|passthrough", "message": text,
   *         "reason"?: text, "safety"?: bool, "cwd"?: text}. With
   *         "safety": true, the answer "ask" applies in every permission mode. "cwd" is for tools
   *         with command_arg: the absolute path of the folder in which this call's command runs.
   *         The host resolves the command's relative paths against "cwd". */
  tp_status (*check_permissions)(tp_instance* self, uint32_t tool, tp_str args_json,
                                 tp_str context_json, tp_call* call);
  /* Decides whether a rule with the content "rule_content" matches the call. The context of
   * match_rule() has the member "rule_content", a text.
   * shape   The answer is true or false. */
  tp_status (*match_rule)(tp_instance* self, uint32_t tool, tp_str args_json, tp_str context_json,
                          tp_call* call);
  /* Suggests rules that would allow calls like this call.
   * shape   The answer is an array of rules: [{"content": text or null}, ...] */
  tp_status (*generate_suggestions)(tp_instance* self, uint32_t tool, tp_str args_json,
                                    tp_str context_json, tp_call* call);
  /* Decides whether this call changes nothing.
   * shape   The answer is true or false. */
  tp_status (*check_read_only)(tp_instance* self, uint32_t tool, tp_str args_json,
                               tp_str context_json, tp_call* call);
} tp_instance_api;

/* The flags of a plugin. */
#define TP_PLUGIN_PIN (1u << 0)          /* if the library runs inline, it is never unloaded */
#define TP_PLUGIN_NEEDS_INLINE (1u << 1) /* the plugin cannot run in a worker */
#define TP_PLUGIN_NO_INLINE (1u << 2)    /* the plugin must not run inside the host */

/* tp_plugin is the description of the library and its tools. The description in tp_plugin is
 * constant: each call of toolpost_plugin_v1() gives the same pointer and bytes. */
typedef struct tp_plugin {
  uint32_t struct_size;
  uint32_t abi_major;         /* TP_ABI_MAJOR */
  uint32_t abi_minor;         /* TP_ABI_MINOR */
  uint32_t flags;             /* TP_PLUGIN_... */
  uint32_t host_api_min_size; /* the smallest usable tp_host_api.struct_size; 0: any */
  uint32_t tool_count;
  uint32_t tool_stride; /* the sizeof(tp_tool) with which the plugin was compiled */
  uint32_t reserved;    /* 0 */
  const tp_tool* tools;
  tp_str id;      /* reverse DNS, like "io.toolpost.hello"; required */
  tp_str name;    /* shown to users; required */
  tp_str version; /* the version is required; at most 128 bytes */
  tp_str vendor;  /* vendor, license and build_info may be empty */
  tp_str license;
  tp_str build_info;
  /* The ids of the host extensions that the plugin requires, NULL-terminated; or NULL. If the host
   * lacks a required extension, the host does not call create(). */
  const char* const* required_ext;
  const char* const* optional_ext;
  /* The permissions that the plugin would use: "fs:ro:PATH", "net:https://HOST", ... A plugin can
   * list at most 64 permissions. The host does not grant any of these permissions by itself.
   * `toolpost plugin check` shows the operator the permissions that the plugin would use. */
  tp_strs permissions;

  /* Makes one instance. The host can call create() several times, for several instances.
   * shape   config_json is one JSON object: the plugin's settings, valid against config_schema.
   * returns TP_OK with *api and *out set; TP_E_INVALID if the plugin cannot use the settings: log()
   *         the reason.
   * owner   `host_api` and `host` belong to the host, and are valid until destroy() returns.
   * thread  [control] */
  tp_status (*create)(const tp_host_api* host_api, tp_host* host, tp_str config_json,
                      const tp_instance_api** api, tp_instance** out);

  /* The JSON Schema of the settings object, or empty. If the settings are not valid against the
   * schema, the host reports the reason and does not call create(). */
  tp_str config_schema;
} tp_plugin;

/* toolpost_plugin_v1() is the only symbol that the library exports for this ABI version. The
 * function toolpost_plugin_v1() must not allocate memory, start threads or do I/O. */
TP_EXPORT const tp_plugin* toolpost_plugin_v1(void);
#define TP_ENTRY_SYMBOL "toolpost_plugin_v1"

#if defined(__cplusplus)
}
#endif

#endif /* TOOLPOST_PLUGIN_H */
