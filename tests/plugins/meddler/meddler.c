/* An interceptor that does to a call what the call's argument `name` says, and marks each result
 * with its setting `tag`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolpost/ext/config.h"
#include "toolpost/ext/context.h"
#include "toolpost/ext/interceptor.h"
#include "toolpost/plugin.h"

#ifndef MEDDLER_BUILD
#define MEDDLER_BUILD "first"
#endif

#ifndef MEDDLER_FLAGS
#define MEDDLER_FLAGS 0
#endif

typedef struct tp_instance {
  const tp_host_api* api;
  const tp_context_api* context; /* null: the host has none */
  char tag[32];
} meddler;

static int asks(tp_str args, const char* what) {
  char wanted[64];
  const int length = snprintf(wanted, sizeof wanted, "\"%s\"", what);
  return memmem(args.ptr, args.len, wanted, (size_t)length) != NULL;
}

static tp_status push(const meddler* me, tp_call* call, const char* json) {
  const tp_str none = {NULL, 0};
  const tp_str text = {json, strlen(json)};
  me->api->result(call, TP_JSON, none, text);
  return TP_OK;
}

static tp_status push_oversize(const meddler* me, tp_call* call) {
  const size_t bytes = 5u << 20u;
  const char head[] = "{\"arguments\":{\"name\":\"";
  const char tail[] = "\"}}";
  char* const text = malloc(sizeof head + bytes + sizeof tail);
  if (!text) return TP_E_NOMEM;
  memcpy(text, head, sizeof head - 1);
  memset(text + sizeof head - 1, 'x', bytes);
  memcpy(text + sizeof head - 1 + bytes, tail, sizeof tail);
  const tp_status status = push(me, call, text);
  free(text);
  return status;
}

typedef struct later {
  const meddler* me;
  tp_call* call;
} later;

static void* answer_later(void* given) {
  later* const of = given;
  push(of->me, of->call, "{\"arguments\":{\"name\":\"changed later\"}}");
  of->me->api->complete(of->call, TP_OK);
  free(of);
  return NULL;
}

/* Another thread answers: before or after this function has returned. */
static tp_status pend(const meddler* me, tp_call* call) {
  pthread_t thread;
  later* const of = malloc(sizeof *of);
  if (!of) return TP_E_NOMEM;
  *of = (later){me, call};
  if (pthread_create(&thread, NULL, answer_later, of) != 0) {
    free(of);
    return TP_E_INTERNAL;
  }
  pthread_detach(thread);
  return TP_PENDING;
}

static int is_text(tp_str text, const char* what) {
  return text.len == strlen(what) && memcmp(text.ptr, what, text.len) == 0;
}

static int is_of_locked_tenant(const meddler* me, const tp_call* call) {
  static const tp_str kTenant = TP_STR("tenant");
  if (!me->context) return 0;
  return is_text(me->context->value(call, kTenant), "locked");
}

static tp_status before(tp_instance* self, tp_str args, const tp_intercepted* about,
                        tp_call* call) {
  const meddler* const me = self;
  if (is_of_locked_tenant(me, call)) {
    return push(me, call, "{\"refuse\":\"meddler refuses a locked tenant\"}");
  }
  if (is_text(about->tool, "who_later")) {
    return push(me, call,
                "{\"context\":{\"entries\":{\"org.example.User\":{\"id\":\"meddler's\"}}}}");
  }
  if (asks(args, "rewrite")) return push(me, call, "{\"arguments\":{\"name\":\"changed\"}}");
  if (asks(args, "refuse")) return push(me, call, "{\"refuse\":\"meddler refuses this\"}");
  if (asks(args, "answer")) {
    return push(me, call,
                "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"meddler answers\"}]}}");
  }
  if (asks(args, "breaks_schema")) return push(me, call, "{\"arguments\":{\"name\":7}}");
  if (asks(args, "no_object")) return push(me, call, "{\"arguments\":[1]}");
  if (asks(args, "foreign_tool")) return push(me, call, "{\"tool\":\"other\"}");
  if (asks(args, "bad_utf8")) return push(me, call, "{\"arguments\":{\"name\":\"\xff\"}}");
  if (asks(args, "bad_error")) {
    const tp_str no_text = {"\xff", 1};
    const tp_str none = {NULL, 0};
    me->api->error(call, 1, no_text, none);
    return TP_OK;
  }
  if (asks(args, "oversize")) return push_oversize(me, call);
  if (asks(args, "status")) return TP_E_INTERNAL;
  if (asks(args, "later")) return pend(me, call);
  if (asks(args, "never")) return TP_PENDING;
  if (asks(args, "late")) usleep(400 * 1000);
  if (asks(args, "crash")) abort();
  if (asks(args, "hang")) {
    for (;;) pause();
  }
  return TP_OK;
}

static tp_status enter(tp_instance* self, tp_str args, const tp_intercepted* about, tp_call* call) {
  const meddler* const me = self;
  (void)about;
  if (asks(args, "early")) {
    return push(me, call,
                "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"meddler is early\"}]}}");
  }
  return push(me, call, "{\"state\":\"" MEDDLER_BUILD "\"}");
}

static tp_status message(tp_instance* self, tp_str text, const tp_intercepted* about,
                         tp_call* call) {
  const meddler* const me = self;
  char answer[128];
  (void)about;
  if (memmem(text.ptr, text.len, "silence", 7)) return push(me, call, "null");
  snprintf(answer, sizeof answer, "{\"text\":\"%s saw a message\"}", me->tag);
  return push(me, call, answer);
}

/* Puts a block with its tag, and the state that enter() gave, before the others. */
static tp_status leave(tp_instance* self, tp_str result, const tp_intercepted* about,
                       tp_call* call) {
  static const char kHead[] = "{\"content\":[";
  const meddler* const me = self;
  if (memmem(result.ptr, result.len, "leave badly", 11)) return push(me, call, "{\"result\":7}");
  const int kept = about->state.len > 0;
  const size_t skip = sizeof kHead - 1;
  const size_t room = result.len + 256;
  char* const text = malloc(room);
  if (!text) return TP_E_NOMEM;
  snprintf(text, room, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"<%s%s>\"},%.*s}",
           me->tag, kept ? "" : " lost", (int)(result.len - skip), result.ptr + skip);
  const tp_status status = push(me, call, text);
  free(text);
  return status;
}

static const tp_interceptor_api kInterceptor = {
    sizeof kInterceptor, MEDDLER_FLAGS, before, enter, message, leave};

static const void* extension(tp_instance* self, const char* id) {
  (void)self;
  return strcmp(id, TP_EXT_INTERCEPTOR) == 0 ? &kInterceptor : NULL;
}

static tp_status call_tool(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) {
  (void)self, (void)tool, (void)args, (void)call;
  return TP_E_UNSUPPORTED;
}

static void destroy(tp_instance* self) {
  free(self);
}

static const tp_instance_api kApi = {.struct_size = sizeof kApi,
                                     .concurrency = TP_CONCURRENT,
                                     .call = call_tool,
                                     .destroy = destroy,
                                     .extension = extension};

static tp_status create(const tp_host_api* api, tp_host* host, tp_str config,
                        const tp_instance_api** table, tp_instance** out) {
  static const tp_str kPointer = TP_STR("/tag");
  meddler* const me = calloc(1, sizeof *me);
  (void)config;
  if (!me) return TP_E_NOMEM;
  me->api = api;
  strcpy(me->tag, "meddler");
  me->context = api->extension(host, TP_EXT_CONTEXT);
  const tp_config_api* const settings = api->extension(host, TP_EXT_CONFIG);
  if (settings) {
    const tp_str tag = settings->get(host, kPointer); /* with its quotes */
    if (tag.len > 2 && tag.len < sizeof me->tag)
      snprintf(me->tag, sizeof me->tag, "%.*s", (int)(tag.len - 2), tag.ptr + 1);
  }
  *table = &kApi;
  *out = me;
  return TP_OK;
}

static const tp_plugin kPlugin = {.struct_size = sizeof kPlugin,
                                  .abi_major = TP_ABI_MAJOR,
                                  .abi_minor = TP_ABI_MINOR,
                                  .tool_stride = sizeof(tp_tool),
                                  .id = TP_STR("io.toolpost.test.meddler"),
                                  .name = TP_STR("Meddler"),
                                  .version = TP_STR("1.0.0"),
                                  .build_info = TP_STR(MEDDLER_BUILD),
                                  .create = create};

TP_EXPORT const tp_plugin* toolpost_plugin_v1(void) {
  return &kPlugin;
}
