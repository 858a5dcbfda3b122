/* hello: the smallest true plugin. Two tools, no state, no library but C's own. */
#include <stdlib.h>
#include <string.h>

#include "toolpost/plugin.h"

static char* string_member(tp_str json, const char* key, char* out);

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

typedef struct hello_state {
  const tp_host_api* host; /* lent until destroy() returns */
} hello_state;

/* Answers with `before`, the string argument `member`, and `after`, in one text block. */
static tp_status say(const hello_state* self, tp_call* call, tp_str args, const char* before,
                     const char* member, const char* after) {
  const size_t before_len = strlen(before);
  const size_t after_len = strlen(after);
  /* A decoded string is never longer than its JSON. */
  char* text = malloc(before_len + (size_t)args.len + after_len + 1);
  if (text == NULL) return TP_E_NOMEM;

  tp_status status = TP_E_INVALID;
  char* end = string_member(args, member, text + before_len);
  if (end != NULL) {
    memcpy(text, before, before_len);
    memcpy(end, after, after_len);
    const tp_str answer = {text, (uint64_t)(end - text) + after_len};
    const tp_str no_mime = {NULL, 0};
    status = self->host->result(call, TP_TEXT, no_mime, answer);
  }
  free(text);
  return status;
}

static tp_status hello_call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) {
  switch (tool) {
    case ECHO:
      return say(self, call, args, "", "text", "");
    case GREET:
      return say(self, call, args, "Hello, ", "name", "!");
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
  (void)host;
  (void)config; /* no settings */
  hello_state* self = malloc(sizeof *self);
  if (self == NULL) return TP_E_NOMEM;
  self->host = host_api;
  *api = &instance_api;
  *out = self;
  return TP_OK;
}

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
    .create = hello_create,
    .config_schema = TP_STR("{\"type\":\"object\",\"additionalProperties\":false}"),
};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}

/* ---- One string out of a JSON object --------------------------------------------------------- */

typedef struct reader {
  const char* at;
  const char* end;
} reader;

static int is_one_of(char c, const char* set) {
  return memchr(set, c, strlen(set)) != NULL;
}

/* Skips white space, then takes `c` where it is next. */
static int take(reader* in, char c) {
  while (in->at < in->end && is_one_of(*in->at, " \t\r\n")) ++in->at;
  if (in->at == in->end || *in->at != c) return 0;
  ++in->at;
  return 1;
}

/* Takes the four digits after \u. */
static int take_hex4(reader* in, uint32_t* code) {
  if (in->end - in->at < 4) return 0;
  *code = 0;
  for (int i = 0; i < 4; ++i) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char* digit = memchr(digits, *in->at++, 32);
    if (digit == NULL) return 0;
    *code = *code << 4 | ((uint32_t)(digit - digits) & 15u);
  }
  return 1;
}

/* Takes the rest of a \u escape; characters beyond U+FFFF are two of them, a pair of surrogates. */
static int take_code_point(reader* in, uint32_t* code) {
  if (!take_hex4(in, code)) return 0;
  if (*code < 0xd800 || *code > 0xdfff) return 1;
  uint32_t low = 0;
  if (*code > 0xdbff || in->end - in->at < 2 || in->at[0] != '\\' || in->at[1] != 'u') return 0;
  in->at += 2;
  if (!take_hex4(in, &low) || low < 0xdc00 || low > 0xdfff) return 0;
  *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
  return 1;
}

static char* put_utf8(char* out, uint32_t code) {
  static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
  const int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = bytes - 1; i > 0; --i, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(lead[bytes] | code);
  return out + bytes;
}

/* Takes a string and writes its text to `out`: returns the end of that text, NULL for bad JSON. */
static char* take_string(reader* in, char* out) {
  if (!take(in, '"')) return NULL;
  while (in->at < in->end) {
    const char c = *in->at++;
    if (c == '"') return out;
    if ((unsigned char)c < 0x20) return NULL;
    if (c != '\\') {
      *out++ = c;
      continue;
    }
    if (in->at == in->end) return NULL;
    const char escape = *in->at++;
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char* found = memchr(from, escape, sizeof from - 1);
    uint32_t code = 0;
    if (found != NULL) {
      *out++ = to[found - from];
    } else if (escape == 'u' && take_code_point(in, &code)) {
      out = put_utf8(out, code);
    } else {
      return NULL;
    }
  }
  return NULL;
}

/* Takes a value of any kind; `scratch` has room for its longest string. */
static int skip_value(reader* in, char* scratch) {
  int depth = 0;
  do {
    if (take(in, '{') || take(in, '[')) {
      ++depth;
    } else if (take(in, '}') || take(in, ']')) {
      --depth;
    } else if (in->at < in->end && *in->at == '"') {
      if (take_string(in, scratch) == NULL) return 0;
    } else if (depth > 0 && (take(in, ',') || take(in, ':'))) {
      continue;
    } else { /* a number, true, false or null */
      const char* start = in->at;
      while (in->at < in->end && is_one_of(*in->at, "+-.0123456789Eaeflnrstu")) ++in->at;
      if (in->at == start) return 0;
    }
  } while (depth > 0);
  return depth == 0;
}

/* Finds the member `key` of the object `json` and writes its text to `out`, which has room for
 * json.len bytes. Returns the end of the text, NULL where there is no such string. */
static char* string_member(tp_str json, const char* key, char* out) {
  reader in = {json.ptr, json.ptr + json.len};
  const size_t key_len = strlen(key);
  if (!take(&in, '{')) return NULL;
  do {
    const char* name_end = take_string(&in, out);
    if (name_end == NULL || !take(&in, ':')) return NULL;
    if ((size_t)(name_end - out) == key_len && memcmp(out, key, key_len) == 0)
      return take_string(&in, out);
    if (!skip_value(&in, out)) return NULL;
  } while (take(&in, ','));
  return NULL;
}
