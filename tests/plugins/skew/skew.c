/* Two tools whose tables have not today's sizes: `first` and `second` answer with their names. */
#include "toolpost/plugin.h"

#ifndef SKEW_PLUGIN_SIZE
#define SKEW_PLUGIN_SIZE sizeof(tp_plugin)
#endif
#ifndef SKEW_STRIDE
#define SKEW_STRIDE sizeof(tp_tool)
#endif
#ifndef SKEW_TABLE_SIZE
#define SKEW_TABLE_SIZE sizeof(tp_instance_api)
#endif

#define ANY_OBJECT TP_STR("{\"type\":\"object\",\"properties\":{}}")
#if defined(SKEW_LARGER)
/* Not zero, so that a host which steps by its own size reads nonsense and is found out. */
#define FUTURE .future_text = TP_STR("from tomorrow"), .future_number = UINT64_MAX,
#else
#define FUTURE
#endif

static const tp_tool tools[] = {
    {.struct_size = sizeof(tp_tool),
     .flags = TP_TOOL_READ_ONLY,
     .name = TP_STR("first"),
     FUTURE.description = TP_STR("Answers first"),
     .input_schema = ANY_OBJECT,
     .max_inflight = 3},
    {.struct_size = sizeof(tp_tool),
     .flags = TP_TOOL_READ_ONLY,
     .name = TP_STR("second"),
     FUTURE.description = TP_STR("Answers second"),
     .input_schema = ANY_OBJECT,
     .exclusive = TP_STR("skew")},
};

struct tp_instance {
  const tp_host_api* host_api;
};

static const tp_host_api* host_of(tp_instance* self) {
  return self->host_api;
}

static tp_status skew_call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) {
  (void)args;
  if (tool >= sizeof tools / sizeof tools[0]) return TP_E_UNSUPPORTED;
  const tp_str no_mime = {0, 0};
  return host_of(self)->result(call, TP_TEXT, no_mime, tools[tool].name);
}

static void skew_destroy(tp_instance* self) {
  (void)self;
}

#if defined(SKEW_LARGER_TABLES)
static void from_tomorrow(tp_instance* self) {
  (void)self;
}
#endif

/* What lies behind the table is no function and not NULL: a host that reads beyond struct_size is
 * found out. */
static const struct {
  tp_instance_api api;
  const char* beyond[8];
} table = {.api =
               {
                   .struct_size = SKEW_TABLE_SIZE,
                   .concurrency = TP_SERIAL,
                   .call = skew_call,
                   .destroy = skew_destroy,
#if defined(SKEW_LARGER_TABLES)
                   .future = from_tomorrow,
#endif
               },
           .beyond = {"no", "function", "is", "here", "nor", "here", "nor", "here"}};

static tp_status skew_create(const tp_host_api* host_api, tp_host* host, tp_str config,
                             const tp_instance_api** api, tp_instance** out) {
  static tp_instance only; /* every instance in one process has the same table */
  (void)host;
  (void)config;
  only.host_api = host_api;
  *api = &table.api;
  *out = &only;
  return TP_OK;
}

static const tp_plugin plugin = {
    .struct_size = SKEW_PLUGIN_SIZE,
    .abi_major = TP_ABI_MAJOR,
    .abi_minor = TP_ABI_MINOR,
    .tool_count = sizeof tools / sizeof tools[0],
    .tool_stride = SKEW_STRIDE,
    .tools = tools,
    .id = TP_STR("io.toolpost.test.skew"),
    .name = TP_STR("Skew"),
    .version = TP_STR("1.0.0"),
    .create = skew_create,
#if defined(SKEW_LARGER_TABLES)
    .future_text = TP_STR("from tomorrow"),
#endif
};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}
