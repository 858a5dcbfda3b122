/* hello: the smallest true plugin. Two tools, no state, no library but C's own. */
#include <stdlib.h>
#include <string.h>

#include "toolpost/ext/args.h"
#include "toolpost/plugin.h"

/* ---- The tools ------------------------------------------------------------------------------- */

enum { ECHO, GREET, TOOL_COUNT };

#define SCHEMA(member, description)                               \
  "{\"type\":\"object\",\"properties\":{\"" member                \
  "\":{\"type\":\"string\","                                      \
  "\"description\":\"" description "\"}},\"required\":[\"" member \
  "\"],"                                                          \
  "\"additionalProperties\":false}"

static const tp_tool tools[TOOL_COUNT] = {
    [ECHO] = {.struct_size = sizeof(tp_tool),
              .flags = TP_TOOL_READ_ONLY | TP_TOOL_IDEMPOTENT | TP_TOOL_CLOSED_WORLD |
                       TP_TOOL_NONBLOCKING,
              .name = TP_STR("echo"),
              .title = TP_STR("Echo"),
              .description = TP_STR("Give a text back unchanged, to see that calls get through"),
              .input_schema = TP_STR(SCHEMA("text", "The text to give back"))},
    [GREET] = {.struct_size = sizeof(tp_tool),
               .flags = TP_TOOL_READ_ONLY | TP_TOOL_IDEMPOTENT | TP_TOOL_CLOSED_WORLD,
               .name = TP_STR("greet"),
               .title = TP_STR("Greet"),
               .description = TP_STR("Greet somebody by name"),
               .input_schema = TP_STR(SCHEMA("name", "Who is greeted"))},
};

struct tp_instance {
  const tp_host_api* host; /* lent until destroy() returns, like the next one */
  const tp_args_api* args;
};

/* Answers with `before`, the text argument at `pointer`, and `after`, in one text block. */
static tp_status say(const tp_instance* self, tp_call* call, const char* before, tp_str pointer,
                     const char* after) {
  tp_str text;
  const tp_status status = self->args->text(call, pointer, &text);
  if (status != TP_OK) return status;
  const tp_str no_mime = {NULL, 0};
  const tp_str parts[] = {{before, strlen(before)}, text, {after, strlen(after)}};
  const int last = parts[2].len > 0 ? 2 : 1;
  for (int i = parts[0].len > 0 ? 0 : 1; i < last; ++i)
    self->host->result(call, TP_TEXT | TP_MORE, no_mime, parts[i]);
  return self->host->result(call, TP_TEXT, no_mime, parts[last]);
}

static tp_status hello_call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) {
  (void)args; /* read by tp.args/1 */
  switch (tool) {
    case ECHO:
      return say(self, call, "", (tp_str)TP_STR("/text"), "");
    case GREET:
      return say(self, call, "Hello, ", (tp_str)TP_STR("/name"), "!");
    default:
      return TP_E_UNSUPPORTED;
  }
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static void hello_destroy(tp_instance* self) {
  free(self);
}

static const tp_instance_api instance_api = {
    .struct_size = sizeof(tp_instance_api),
    .concurrency = TP_CONCURRENT, /* call() touches nothing that two calls share */
    .call = hello_call,
    .destroy = hello_destroy,
};

static tp_status hello_create(const tp_host_api* host_api, tp_host* host, tp_str config,
                              const tp_instance_api** api, tp_instance** out) {
  (void)config; /* no settings */
  tp_instance* self = malloc(sizeof *self);
  if (self == NULL) return TP_E_NOMEM;
  self->host = host_api;
  self->args = host_api->extension(host, TP_EXT_ARGS);
  *api = &instance_api;
  *out = self;
  return TP_OK;
}

static const char* const needed[] = {TP_EXT_ARGS, NULL};

static const tp_plugin plugin = {
    .struct_size = sizeof(tp_plugin),
    .abi_major = TP_ABI_MAJOR,
    .abi_minor = TP_ABI_MINOR,
    .host_api_min_size = offsetof(tp_host_api, error), /* result() is the last one that it calls */
    .tool_count = TOOL_COUNT,
    .tool_stride = sizeof(tp_tool),
    .tools = tools,
    .id = TP_STR("io.toolpost.hello"),
    .name = TP_STR("Hello"),
    .version = TP_STR(TOOLPOST_VERSION),
    .required_ext = needed,
    .create = hello_create,
    .config_schema = TP_STR("{\"type\":\"object\",\"additionalProperties\":false}"),
};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}
