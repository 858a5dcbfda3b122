/* One tool that says which build it is. A test makes builds of it without a compiler: it writes
 * another number over the digits in the file (tests/integration/storm.py). */
#include <stdlib.h>
#include <string.h>

#include "toolpost/plugin.h"

/* The number twice, far apart: a file that is half of one build and half of another is found out.
 * volatile: read from the file's bytes at run time, whatever the optimiser thinks of constants. */
static const volatile struct {
  char first[17];
  unsigned char between[256 * 1024];
  char last[17];
} build = {"build 0000000000", {0}, "build 0000000000"};

typedef struct tp_instance {
  const tp_host_api* host;
} numbered;

static tp_status call_tool(tp_instance* instance, uint32_t tool, tp_str args, tp_call* call) {
  (void)tool, (void)args;
  const numbered* self = instance;
  char text[sizeof build.first];
  for (size_t i = 0; i < sizeof text; ++i) {
    text[i] = build.first[i];
    if (build.last[i] != text[i]) return TP_E_INTERNAL;
  }
  const tp_str answer = {text, sizeof text - 1};
  const tp_str none = {NULL, 0};
  return self->host->result(call, TP_TEXT, none, answer);
}

static void destroy(tp_instance* self) {
  free(self);
}

static const tp_instance_api api = {
    .struct_size = sizeof api, .concurrency = TP_CONCURRENT, .call = call_tool, .destroy = destroy};

static tp_status create(const tp_host_api* host_api, tp_host* host, tp_str config,
                        const tp_instance_api** out_api, tp_instance** out) {
  (void)host, (void)config;
  numbered* self = malloc(sizeof *self);
  if (self == NULL) return TP_E_NOMEM;
  self->host = host_api;
  *out_api = &api;
  *out = self;
  return TP_OK;
}

static const tp_tool tool = {.struct_size = sizeof tool,
                             .flags = TP_TOOL_READ_ONLY | TP_TOOL_IDEMPOTENT,
                             .name = TP_STR(NUMBERED_TOOL),
                             .description = TP_STR("Say which build this is"),
                             .input_schema = TP_STR("{\"type\":\"object\"}")};

static const tp_plugin plugin = {.struct_size = sizeof plugin,
                                 .abi_major = TP_ABI_MAJOR,
                                 .abi_minor = TP_ABI_MINOR,
                                 .tool_count = 1,
                                 .tool_stride = sizeof tool,
                                 .tools = &tool,
                                 .id = TP_STR("io.toolpost.test.numbered"),
                                 .name = TP_STR("Numbered"),
                                 .version = TP_STR("1"),
                                 .create = create};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}
