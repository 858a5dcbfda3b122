/* One plugin of many faults: ZOO_... macros make each build another animal. Without any it is well
 * and has a tool for each thing that a host must cope with. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "toolpost/ext/announce.h"
#include "toolpost/ext/context.h"
#include "toolpost/ext/prompts.h"
#include "toolpost/ext/resources.h"
#include "toolpost/ext/selftest.h"
#include "toolpost/plugin.h"

#ifndef ZOO_TEXT
#define ZOO_TEXT "one"
#endif
#ifndef ZOO_ABI_MAJOR
#define ZOO_ABI_MAJOR TP_ABI_MAJOR
#endif
#ifndef ZOO_CONCURRENCY
#define ZOO_CONCURRENCY TP_CONCURRENT
#endif
#ifndef ZOO_FIRST_NAME
#define ZOO_FIRST_NAME "version"
#endif
#ifndef ZOO_FIRST_FLAGS
#define ZOO_FIRST_FLAGS 0
#endif
#ifndef ZOO_STUBBORN_FLAGS
#define ZOO_STUBBORN_FLAGS 0
#endif
#ifndef ZOO_ENTRY
#define ZOO_ENTRY toolpost_plugin_v1
#endif
#ifndef ZOO_PLUGIN_SIZE
#define ZOO_PLUGIN_SIZE sizeof(tp_plugin)
#endif
#ifndef ZOO_PLUGIN_FLAGS
#define ZOO_PLUGIN_FLAGS 0
#endif

#if defined(ZOO_HANGS)
/* Where the variable ZOO_HANGS names this place it hangs here for ever and heeds no signal:
 * "load", "create", "destroy"; on its trial "trial_load", "trial_create". */
static void hang_in(const char* place) {
  const char* const chosen = getenv("ZOO_HANGS");
  if (chosen == NULL) return;
  char command[512] = "";
  FILE* const file = fopen("/proc/self/cmdline", "r");
  const size_t count = file == NULL ? 0 : fread(command, 1, sizeof command - 1, file);
  if (file != NULL) fclose(file);
  const size_t name = strnlen(command, count) + 1;
  const int on_trial = name < count && strcmp(command + name, "--probe") == 0;
  if (on_trial != (strncmp(chosen, "trial_", 6) == 0)) return;
  if (strcmp(on_trial ? chosen + 6 : chosen, place) != 0) return;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  fprintf(stderr, "hangs in %s\n", chosen);
  for (;;) pause();
}
__attribute__((constructor)) static void hang_at_load(void) {
  hang_in("load");
}
#else
static void hang_in(const char* place) {
  (void)place;
}
#endif

#if defined(ZOO_CONSTRUCTOR)
__attribute__((constructor)) static void on_load(void) {
  ZOO_CONSTRUCTOR;
}
#endif

enum {
  VERSION,
  SLOW,
  STUBBORN,
  CRASH,
  PENDING,
  PUSH,
  FAIL,
  STATUS,
  BIG,
  TELL,
  WHO,
  UNTIL,
  TOOL_COUNT
};

/* A tool's struct as a later header might have it: the host must step by the stride. */
typedef struct long_tool {
  tp_tool tool;
  uint64_t from_the_future[3];
} long_tool;

#define ANY "{\"type\":\"object\"}"
#define TOOL(index, title_, flags_)                        \
  [index] = {.tool = {.struct_size = sizeof(long_tool),    \
                      .flags = (flags_),                   \
                      .name = TP_STR(title_),              \
                      .description = TP_STR("A specimen"), \
                      .input_schema = TP_STR(ANY)},        \
             .from_the_future = {~0ull, ~0ull, ~0ull}}

static const long_tool tools[TOOL_COUNT] = {
    TOOL(VERSION, ZOO_FIRST_NAME,
         TP_TOOL_READ_ONLY | TP_TOOL_NONBLOCKING | TP_TOOL_HAS_CHECK_READ_ONLY | ZOO_FIRST_FLAGS),
    TOOL(SLOW, "slow", 0),
    TOOL(STUBBORN, "stubborn", ZOO_STUBBORN_FLAGS),
    TOOL(CRASH, "crash", 0),
    TOOL(PENDING, "pending", TP_TOOL_HAS_MATCH_RULE),
    TOOL(PUSH, "push", 0),
    TOOL(FAIL, "fail", 0),
    TOOL(STATUS, "status", 0),
    TOOL(BIG, "big", 0),
    TOOL(TELL, "tell", 0),
    TOOL(WHO, "who", 0),
    TOOL(UNTIL, "until", 0),
};

typedef struct tp_instance {
  const tp_host_api* host_api;
  tp_host* host;
  pthread_t completer;
  int has_completer;
  atomic_int changed; /* for ZOO_CHANGES */
} zoo;

static const tp_str none = {NULL, 0};

static tp_str text(const char* literal) {
  const tp_str out = {literal, strlen(literal)};
  return out;
}

/* The first number in the arguments. */
static long number(tp_str args) {
  const char* at = args.ptr;
  const char* end = args.ptr + args.len;
  while (at < end && (*at < '0' || *at > '9')) ++at;
  long value = 0;
  for (; at < end && *at >= '0' && *at <= '9'; ++at) value = value * 10 + (*at - '0');
  return value;
}

static tp_status say(zoo* self, tp_call* call, const char* what) {
  return self->host_api->result(call, TP_TEXT, none, text(what));
}

static void rest(void) {
  const struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
}

static tp_status wait_ms(zoo* self, tp_call* call, long ms, int heeds) {
  self->host_api->progress(call, 0, 1, text("begun"));
  for (long waited = 0; waited < ms; waited += 2) {
    if (heeds && self->host_api->cancelled(call)) return TP_E_CANCELLED;
    rest();
  }
  return say(self, call, ZOO_TEXT);
}

/* Runs until the file exists whose path the arguments have: {"file": "/tmp/x/gate"}. A test makes
 * the file when the call shall end. A sandbox hides no names, so no grant is needed. */
static tp_status wait_for_file(zoo* self, tp_call* call, tp_str args) {
  char path[512] = "";
  const char* const begin = memchr(args.ptr, '/', args.len);
  if (begin == NULL) return TP_E_INVALID;
  const size_t left = args.len - (size_t)(begin - args.ptr);
  const char* const end = memchr(begin, '"', left);
  if (end == NULL || (size_t)(end - begin) >= sizeof path) return TP_E_INVALID;
  memcpy(path, begin, (size_t)(end - begin));
  self->host_api->progress(call, 0, 1, text("begun"));
  for (struct stat about; stat(path, &about) != 0;) {
    if (self->host_api->cancelled(call)) return TP_E_CANCELLED;
    rest();
  }
  return say(self, call, ZOO_TEXT);
}

typedef struct completion {
  zoo* self;
  tp_call* call;
} completion;

/* Completes, then once more: the second must do no harm. */
static void* complete_twice(void* argument) {
  completion* what = argument;
  rest();
  say(what->self, what->call, "late");
  what->self->host_api->complete(what->call, TP_OK);
  what->self->host_api->complete(what->call, TP_OK);
  say(what->self, what->call, "too late");
  free(what);
  return NULL;
}

static tp_status start_pending(zoo* self, tp_call* call) {
  completion* what = malloc(sizeof *what);
  what->self = self;
  what->call = call;
  if (self->has_completer) pthread_join(self->completer, NULL);
  self->has_completer = pthread_create(&self->completer, NULL, complete_twice, what) == 0;
  return TP_PENDING;
}

static tp_status push_all(zoo* self, tp_call* call) {
  const tp_host_api* host = self->host_api;
  const tp_str bad_utf8 = {"\xff", 1};
  if (host->result(call, TP_TEXT, none, bad_utf8) != TP_E_INVALID) return TP_E_INTERNAL;
  if (host->result(call, TP_JSON, none, text("{")) != TP_E_INVALID) return TP_E_INTERNAL;
  if (host->result(call, TP_TEXT | TP_MORE, none, text("a"))) return TP_E_INTERNAL;
  if (host->result(call, TP_JSON, none, text("1")) != TP_E_INVALID) return TP_E_INTERNAL;
  host->result(call, TP_TEXT, none, text("b"));
  host->result(call, TP_BLOB, text("image/png"), text("png"));
  host->result(call, TP_BLOB | TP_MORE, text("text/csv"), text("a,"));
  host->result(call, TP_BLOB, text("text/csv"), text("b"));
  host->result(call, TP_RESOURCE_LINK, none, text("{\"uri\":\"file:///x\",\n\"name\":\"x\"}"));
  const tp_str evil = text("{\"type\":\"evil\"}"); /* dropped: the next block takes its place */
  if (host->result(call, TP_CONTENT, none, evil) != TP_E_INVALID) return TP_E_INTERNAL;
  host->result(call, TP_CONTENT, none, text("{\"type\":\"text\", \"text\":\"c\"}"));
  host->result(call, TP_JSON, none, text("{\"n\": 1}"));
  if (host->result(call, TP_JSON, none, text("2")) != TP_E_INVALID) return TP_E_INTERNAL;
  return TP_OK;
}

/* {"n":1}: a text, and then an error that is no UTF-8. {"n":2}: an error without bytes. {"n":3}: an
 * error with 17 MiB of data. It looks at no status, as most plugins do. */
static tp_status fail(zoo* self, tp_call* call, long n) {
  const tp_host_api* host = self->host_api;
  const tp_str bad_utf8 = {"\xff", 1};
  const tp_str no_bytes = {NULL, 5};
  const size_t size = 17u << 20u;
  if (n == 1) {
    say(self, call, "done");
    host->error(call, 7, bad_utf8, none);
  } else if (n == 2) {
    host->error(call, 7, no_bytes, none);
  } else if (n == 3) {
    char* const data = malloc(size);
    memset(data, 'x', size);
    data[0] = data[size - 1] = '"';
    const tp_str large = {data, size};
    host->error(call, 7, text("no such row"), large);
    free(data);
  } else {
    return host->error(call, 7, text("no such row"), text("{\"row\": 3}"));
  }
  return TP_OK;
}

static tp_status push_big(zoo* self, tp_call* call, size_t bytes) {
  char* all = malloc(bytes);
  memset(all, 'x', bytes);
  const tp_str what = {all, bytes};
  const tp_status status = self->host_api->result(call, TP_TEXT, none, what);
  free(all);
  return status;
}

static tp_status tell(zoo* self, tp_call* call) {
  self->host_api->log(self->host, TP_LOG_INFO, text("in a call"), text("{\"n\":1}"));
  self->host_api->progress(call, 1, 2, text("half"));
  self->host_api->result(call, TP_TEXT | TP_PARTIAL, none, text("a part"));
  printf("printed\n");
  fflush(stdout);
  return say(self, call, "told");
}

static tp_status who(zoo* self, tp_call* call) {
  const tp_context_api* context = self->host_api->extension(self->host, TP_EXT_CONTEXT);
  if (context == NULL) return TP_E_UNSUPPORTED;
  return self->host_api->result(call, TP_TEXT, none, context->text(call, text("principal")));
}

/* ZOO_ANNOUNCES: `fail` is out of the list from the start until the first call. ZOO_FORGES: frames
 * of the plugin's own on the worker's socket, two of news where one may come. ZOO_ASKS: requests
 * without end, from the thread that would read the answers. */
static void tell_news(const zoo* self) {
#if defined(ZOO_ANNOUNCES)
  const tp_announce_api* announce = self->host_api->extension(self->host, TP_EXT_ANNOUNCE);
  announce->offer_tool(self->host, FAIL, 1);
#elif defined(ZOO_FORGES)
  static const unsigned char news[24 + 12] = {'T', 'P', 'F', '1', 17, 0, 1, 0, 0,
                                              0,   0,   0,   0,   0,  0, 0, 12};
  for (int i = 0; i < 2; ++i)
    if (write(3, news, sizeof news) < 0) abort();
#elif defined(ZOO_ASKS)
  enum { REQUEST = 24 + 12, BATCH = 1000 };
  static unsigned char requests[REQUEST * BATCH];
  for (int i = 0; i < BATCH; ++i) {
    static const unsigned char header[] = {'T', 'P', 'F', '1', 20, 0, 0, 0, 1,
                                           0,   0,   0,   0,   0,  0, 0, 12};
    memcpy(requests + i * REQUEST, header, sizeof header);
  }
  for (;;)
    if (write(3, requests, sizeof requests) < 0) abort();
#endif
  (void)self;
}

static tp_status zoo_call(tp_instance* instance, uint32_t tool, tp_str args, tp_call* call) {
  zoo* self = instance;
  switch (tool) {
    case VERSION:
      tell_news(self);
      return say(self, call, ZOO_TEXT);
    case SLOW:
      return wait_ms(self, call, number(args), 1);
    case STUBBORN:
      return wait_ms(self, call, number(args), 0);
    case CRASH:
      abort();
    case PENDING:
      return start_pending(self, call);
    case PUSH:
      return push_all(self, call);
    case FAIL:
      return fail(self, call, number(args));
    case STATUS:
      return (tp_status)-number(args);
    case BIG:
      return push_big(self, call, (size_t)number(args));
    case TELL:
      return tell(self, call);
    case WHO:
      return who(self, call);
    case UNTIL:
      return wait_for_file(self, call, args);
    default:
      return TP_E_UNSUPPORTED;
  }
}

static tp_status check_read_only(tp_instance* instance, uint32_t tool, tp_str args, tp_str context,
                                 tp_call* call) {
  (void)args;
  (void)context;
  zoo* self = instance;
  return self->host_api->result(call, TP_JSON, none, text(tool == VERSION ? "true" : "false"));
}

/* Gives no answer. */
static tp_status match_rule(tp_instance* instance, uint32_t tool, tp_str args, tp_str context,
                            tp_call* call) {
  (void)instance, (void)tool, (void)args, (void)context, (void)call;
  return TP_OK;
}

static tp_status quiesce(tp_instance* instance, uint32_t grace_ms) {
  (void)grace_ms;
  zoo* self = instance;
  if (self->has_completer) pthread_join(self->completer, NULL);
  self->has_completer = 0;
  return TP_OK;
}

static void destroy(tp_instance* instance) {
  hang_in("destroy");
  quiesce(instance, 0);
  free(instance);
}

static tp_status selftest(tp_instance* instance) {
  zoo* self = instance;
#if defined(ZOO_SELFTEST_FAILS)
  self->host_api->log(self->host, TP_LOG_ERROR, text("the tables do not add up"), none);
  return TP_E_INTERNAL;
#else
  (void)self;
  return TP_OK;
#endif
}

#if defined(ZOO_CHANGES)
/* The list changes once, shortly after it was read for the first time. */
#define ZOO_RESOURCES "{\"resources\":[{\"uri\":\"first:a\",\"name\":\"a\"}]}"
#define ZOO_CHANGED "{\"resources\":[{\"uri\":\"then:b\",\"name\":\"b\"}]}"

static void* change_list(void* argument) {
  zoo* self = argument;
  for (int i = 0; i < 50; ++i) rest();
  atomic_store(&self->changed, 1);
  const tp_announce_api* announce = self->host_api->extension(self->host, TP_EXT_ANNOUNCE);
  announce->resources_changed(self->host);
  return NULL;
}

static tp_str listed(zoo* self) {
  if (!self->has_completer)
    self->has_completer = pthread_create(&self->completer, NULL, change_list, self) == 0;
  return text(atomic_load(&self->changed) ? ZOO_CHANGED : ZOO_RESOURCES);
}
#elif defined(ZOO_RESOURCES)
static tp_str listed(zoo* self) {
  (void)self;
  return text(ZOO_RESOURCES);
}
#endif

#if defined(ZOO_RESOURCES)
static tp_status list_resources(tp_instance* instance, tp_call* call) {
  zoo* self = instance;
  return self->host_api->result(call, TP_JSON, none, listed(self));
}

static tp_status read_resource(tp_instance* instance, tp_str uri, tp_call* call) {
  (void)instance, (void)uri, (void)call;
  return TP_E_UNSUPPORTED;
}
#endif

static const void* extension(tp_instance* instance, const char* id) {
  static const tp_selftest_api test = {sizeof test, 0, selftest};
#if defined(ZOO_RESOURCES)
  static const tp_resources_api resources = {sizeof resources, 0, list_resources, read_resource};
  if (strcmp(id, TP_EXT_RESOURCES) == 0) return &resources;
#endif
#if defined(ZOO_EMPTY_PROMPTS)
  static const tp_prompts_api prompts = {sizeof prompts, 0, NULL, NULL};
  if (strcmp(id, TP_EXT_PROMPTS) == 0) return &prompts;
#endif
  (void)instance;
  return strcmp(id, TP_EXT_SELFTEST) == 0 ? &test : NULL;
}

/* ZOO_SLOW_START: for so many rests the instance starts. */
static tp_status activate(tp_instance* instance) {
  (void)instance;
#if defined(ZOO_SLOW_START)
  for (int i = 0; i < ZOO_SLOW_START; ++i) rest();
#endif
  return TP_OK;
}

static const tp_instance_api api = {.struct_size = sizeof api,
                                    .concurrency = ZOO_CONCURRENCY,
                                    .activate = activate,
                                    .call = zoo_call,
                                    .quiesce = quiesce,
                                    .destroy = destroy,
                                    .extension = extension,
                                    .match_rule = match_rule,
                                    .check_read_only = check_read_only};

static tp_status create(const tp_host_api* host_api, tp_host* host, tp_str config,
                        const tp_instance_api** out_api, tp_instance** out) {
#if defined(ZOO_CREATE_FAILS)
  host_api->log(host, TP_LOG_ERROR, text("the setting \"folder\" is missing"), none);
  return TP_E_INVALID;
#endif
  (void)config;
  hang_in("create");
  zoo* self = calloc(1, sizeof *self);
  self->host_api = host_api;
  self->host = host;
#if defined(ZOO_ANNOUNCES)
  const tp_announce_api* announce = host_api->extension(host, TP_EXT_ANNOUNCE);
  announce->offer_tool(host, FAIL, 0);
#endif
  *out_api = &api;
  *out = self;
  return TP_OK;
}

#if defined(ZOO_NEEDS)
static const char* const required[] = {ZOO_NEEDS, NULL};
#endif

static const tp_plugin plugin = {
    .struct_size = ZOO_PLUGIN_SIZE,
    .abi_major = ZOO_ABI_MAJOR,
    .flags = ZOO_PLUGIN_FLAGS,
    .tool_count = TOOL_COUNT,
    .tool_stride = sizeof(long_tool),
    .tools = &tools[0].tool,
    .id = TP_STR("io.toolpost.test.zoo"),
    .name = TP_STR("Zoo"),
    .version = TP_STR(ZOO_TEXT),
#if defined(ZOO_NEEDS)
    .required_ext = required,
#endif
    .create = create,
#if defined(ZOO_CONFIG_SCHEMA)
    .config_schema = ZOO_CONFIG_SCHEMA,
#endif
};

TP_EXPORT const tp_plugin* ZOO_ENTRY(void);
const tp_plugin* ZOO_ENTRY(void) {
  return &plugin;
}
