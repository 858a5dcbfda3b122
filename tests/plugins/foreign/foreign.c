/* Texts that hide something: an escape sequence, a bidirectional override, a zero-width space. And
 * a tool that returns whatever content block it is given. FOREIGN_... macros break one rule each.
 */
#include <stdlib.h>
#include <string.h>

#include "toolpost/ext/resources.h"
#include "toolpost/plugin.h"

#define ESC "\033[31m"
#define OVERRIDE "\342\200\256"
#define NO_WIDTH "\342\200\213"
#define HIDDEN ESC OVERRIDE NO_WIDTH

#ifndef FOREIGN_ID
#define FOREIGN_ID "io.toolpost.test.foreign"
#endif
#ifndef FOREIGN_GROUP
#define FOREIGN_GROUP "files"
#endif
#ifndef FOREIGN_ARGUMENT
#define FOREIGN_ARGUMENT "block"
#endif
#ifndef FOREIGN_RESOURCE
#define FOREIGN_RESOURCE "notes"
#endif
#ifndef FOREIGN_TOOL
#define FOREIGN_TOOL "show"
#endif

#define TIMES_8(text) text text text text text text text text
#define TIMES_512(text) TIMES_8(TIMES_8(TIMES_8(text)))
#if defined(FOREIGN_LONG_VERSION)
#define VERSION TIMES_512("1.") "0"
#else
#define VERSION "1" HIDDEN
#endif
#if defined(FOREIGN_LONG_TITLE)
#define TITLE TIMES_512("title ")
#else
#define TITLE "Show\n" HIDDEN
#endif

typedef struct tp_instance {
  const tp_host_api* host;
} foreign;

static const tp_str none = {NULL, 0};

static tp_str text(const char* literal) {
  const tp_str out = {literal, strlen(literal)};
  return out;
}

static const tp_tool tools[] = {
    {.struct_size = sizeof(tp_tool),
     .flags = TP_TOOL_READ_ONLY,
     .name = TP_STR(FOREIGN_TOOL),
     .title = TP_STR(TITLE),
     .description = TP_STR("Returns its argument as a content block.\r\n\tNothing else" HIDDEN),
     .input_schema = TP_STR("{\"type\":\"object\",\"properties\":{\"" FOREIGN_ARGUMENT
                            "\":{\"type\":\"object\",\"description\":\"The \\u202e\\u001bblock\"},"
                            "\"mode\":{\"enum\":[\"a\\u200b\"]}}}"),
     .group = TP_STR(FOREIGN_GROUP)},
};

/* The arguments are {"block":{...}}: what stands between the first colon and the last brace. */
static tp_str block_of(tp_str args) {
  const char* const colon = memchr(args.ptr, ':', args.len);
  if (colon == NULL) return none;
  const tp_str block = {colon + 1, (size_t)(args.ptr + args.len - 1 - (colon + 1))};
  return block;
}

/* Careless: it does not look at what result() returns. */
static tp_status call(tp_instance* instance, uint32_t tool, tp_str args, tp_call* to) {
  (void)tool;
  const foreign* const self = instance;
  self->host->result(to, TP_TEXT, none, text("before"));
  self->host->result(to, TP_CONTENT, none, block_of(args));
  return TP_OK;
}

static tp_status list_resources(tp_instance* instance, tp_call* to) {
  const foreign* const self = instance;
  return self->host->result(
      to, TP_JSON, none,
      text("{\"resources\":[{\"uri\":\"foreign:notes\",\"name\":\"" FOREIGN_RESOURCE
           "\",\"description\":\"Notes\\u202e\"}]}"));
}

static tp_status read_resource(tp_instance* instance, tp_str uri, tp_call* to) {
  (void)uri;
  const foreign* const self = instance;
  return self->host->result(to, TP_TEXT, none, text("notes"));
}

static const void* extension(tp_instance* instance, const char* id) {
  static const tp_resources_api resources = {sizeof resources, 0, list_resources, read_resource};
  (void)instance;
  return strcmp(id, TP_EXT_RESOURCES) == 0 ? &resources : NULL;
}

static void destroy(tp_instance* instance) {
  free(instance);
}

static const tp_instance_api api = {.struct_size = sizeof api,
                                    .concurrency = TP_CONCURRENT,
                                    .call = call,
                                    .destroy = destroy,
                                    .extension = extension};

static tp_status create(const tp_host_api* host_api, tp_host* host, tp_str config,
                        const tp_instance_api** out_api, tp_instance** out) {
  (void)host;
  (void)config;
  foreign* const self = malloc(sizeof *self);
  if (self == NULL) return TP_E_NOMEM;
  self->host = host_api;
  *out_api = &api;
  *out = self;
  return TP_OK;
}

static const tp_plugin plugin = {.struct_size = sizeof plugin,
                                 .abi_major = TP_ABI_MAJOR,
                                 .abi_minor = TP_ABI_MINOR,
                                 .tool_count = sizeof tools / sizeof tools[0],
                                 .tool_stride = sizeof(tp_tool),
                                 .tools = tools,
                                 .id = TP_STR(FOREIGN_ID),
                                 .name = TP_STR("Foreign" HIDDEN),
                                 .version = TP_STR(VERSION),
                                 .create = create};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}
