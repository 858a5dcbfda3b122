/* A tool for each way in which a plugin can go wrong during a call, one for going well, and
 * counters that a test can read. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "toolpost/plugin.h"

enum {
  WELL,
  SEGV,
  NOWHERE,
  ABORT,
  DIVIDE,
  ILLEGAL,
  OVERFLOW,
  THREAD,
  EXIT,
  QUICK_EXIT,
  CHILD_EXIT,
  HANG,
  DEAF,
  LEAK,
  HUGE_ANSWER,
  TWICE,
  NEVER,
  LATE,
  FREES,
  FLOOD,
  LOGS,
  FORKS,
  OUTSIDE,
  READER,
  WRITER,
  SAYS,
  LONG_MIME,
  TOOL_COUNT
};

#define ANY "{\"type\":\"object\"}"
#define TOOL(index, title, flags_)             \
  [index] = {.struct_size = sizeof(tp_tool),   \
             .flags = (flags_),                \
             .name = TP_STR(title),            \
             .description = TP_STR("A fault"), \
             .input_schema = TP_STR(ANY)}

static const tp_tool tools[TOOL_COUNT] = {
    TOOL(WELL, "well", TP_TOOL_READ_ONLY),
    TOOL(SEGV, "fault_segv", 0),
    TOOL(NOWHERE, "fault_nowhere", 0),
    TOOL(ABORT, "fault_abort", 0),
    TOOL(DIVIDE, "fault_divide", 0),
    TOOL(ILLEGAL, "fault_illegal", 0),
    TOOL(OVERFLOW, "fault_overflow", 0),
    TOOL(THREAD, "fault_thread", 0),
    TOOL(EXIT, "fault_exit", 0),
    TOOL(QUICK_EXIT, "fault_quick_exit", 0),
    TOOL(CHILD_EXIT, "fault_child_exit", 0),
    TOOL(HANG, "fault_hang", 0),
    TOOL(DEAF, "fault_deaf", 0),
    TOOL(LEAK, "fault_leak", 0),
    TOOL(HUGE_ANSWER, "fault_huge_answer", 0),
    TOOL(TWICE, "fault_twice", 0),
    TOOL(NEVER, "fault_never", 0),
    TOOL(LATE, "fault_late", 0),
    TOOL(FREES, "fault_frees", 0),
    TOOL(FLOOD, "fault_flood", 0),
    TOOL(LOGS, "fault_logs", 0),
    TOOL(FORKS, "fault_forks", 0),
    TOOL(OUTSIDE, "fault_outside", 0),
    TOOL(READER, "reader", TP_TOOL_READ_ONLY),
    TOOL(WRITER, "writer", 0),
    TOOL(SAYS, "says", 0),
    TOOL(LONG_MIME, "long_mime", 0),
};

static const tp_host_api* host_api;
static tp_host* host_handle;

static tp_str text(const char* literal) {
  const tp_str out = {literal, strlen(literal)};
  return out;
}

static tp_status say(tp_call* call, const char* what) {
  const tp_str none = {NULL, 0};
  return host_api->result(call, TP_TEXT, none, text(what));
}

static void rest_ms(long ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

/* Through volatile: the compiler must not see what comes. */
static int* volatile nothing = NULL;
static volatile int zero = 0;
static volatile uintptr_t borrowed = 0;

__attribute__((noinline)) static void poke_null(void) {
  *nothing = 1;
}

__attribute__((noinline)) static int recurse(volatile char* above) {
  volatile char room[4096];
  if (above[0] == 'x') return 0; /* never */
  room[0] = above[0];
  return recurse(room) + room[0];
}

static void* crash_beside(void* unused) {
  (void)unused;
  poke_null();
  return NULL;
}

static tp_status crash_in_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash_beside, NULL) == 0) pthread_join(thread, NULL);
  return TP_E_INTERNAL;
}

static tp_status hang(tp_call* call, int deaf) {
  if (deaf) signal(SIGTERM, SIG_IGN);
  (void)call;
  for (;;) rest_ms(1000);
  return TP_OK;
}

/* Held on to, so that no tool of analysis takes it for a mistake. */
static void* volatile leaked;

static tp_status leak(tp_call* call) {
  for (int i = 0; i < 64; ++i) {
    void** block = malloc(1 << 20);
    if (block == NULL) break;
    memset(block, 1, 1 << 20);
    block[0] = leaked;
    leaked = block;
  }
  return say(call, "leaked 64 MiB");
}

/* A gigabyte, as far as it is taken. */
static tp_status huge_answer(tp_call* call) {
  static char block[1 << 20];
  memset(block, 'x', sizeof block);
  const tp_str none = {NULL, 0};
  const tp_str piece = {block, sizeof block};
  tp_status status = TP_OK;
  for (int i = 0; i < 1024 && status == TP_OK; ++i) {
    status = host_api->result(call, i < 1023 ? TP_TEXT | TP_MORE : TP_TEXT, none, piece);
  }
  return status;
}

static tp_status twice(tp_call* call) {
  say(call, "once");
  host_api->complete(call, TP_OK);
  host_api->complete(call, TP_OK);
  return TP_OK;
}

static tp_status late(tp_call* call) {
  while (!host_api->cancelled(call)) rest_ms(1);
  rest_ms(5);
  if (say(call, "too late") != TP_E_CANCELLED) abort();
  return TP_OK;
}

static tp_status flood(tp_call* call) {
  for (int i = 0; i < 200000; ++i) puts("a line of a flood");
  fflush(stdout);
  return say(call, "flooded");
}

static tp_status logs(tp_call* call) {
  static char long_text[6000];
  const tp_str line = {long_text, sizeof long_text};
  const tp_str none = {"", 0};
  memset(long_text, 'x', sizeof long_text);
  for (int i = 0; i < 3000; ++i) host_api->log(host_handle, TP_LOG_ERROR, line, none);
  return say(call, "logged");
}

/* The child holds every descriptor of the worker for a while. */
static tp_status forks(tp_call* call) {
  const pid_t child = fork();
  if (child < 0) return say(call, "fork was refused");
  if (child == 0) {
    rest_ms(300);
    _exit(0);
  }
  return say(call, "forked");
}

/* A media type means nothing for a text: here it is as large as no frame may be. */
static tp_status long_mime(tp_call* call) {
  const size_t size = 17u << 20u;
  char* const letters = malloc(size);
  if (letters == NULL) return TP_E_NOMEM;
  memset(letters, 'x', size);
  const tp_str mime = {letters, size};
  const tp_status status = host_api->result(call, TP_TEXT, mime, text("text"));
  free(letters);
  return status;
}

/* The child's end is no news of the worker, which is killed after it. */
static tp_status child_exit(tp_call* call) {
  const pid_t child = fork();
  if (child < 0) return say(call, "fork was refused");
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  raise(SIGKILL);
  return TP_OK;
}

static tp_status outside(tp_call* call) {
  const int file = open("/etc/shadow", O_RDWR);
  const int network = socket(AF_INET, SOCK_STREAM, 0);
  const struct sockaddr_in discard = {
      .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int joined = connect(network, (const struct sockaddr*)&discard, sizeof discard);
  char answer[64];
  snprintf(answer, sizeof answer, "file %d, network %d, joined %d", file >= 0, network >= 0,
           joined == 0);
  if (file >= 0) close(file);
  if (network >= 0) close(network);
  return say(call, answer);
}

static tp_status wait_a_little(tp_call* call) {
  for (int i = 0; i < 200; ++i) {
    if (host_api->cancelled(call)) return TP_E_CANCELLED;
    rest_ms(1);
  }
  return say(call, "done");
}

static tp_status fault(uint32_t tool, tp_str args, tp_call* call) {
  switch (tool) {
    case SEGV:
      fprintf(stderr, "about to poke\n");
      poke_null();
      return TP_OK;
    case NOWHERE:
      ((void (*)(void))(void*)nothing)();
      return TP_OK;
    case ABORT:
      abort();
    case DIVIDE:
      return 100 / zero;
    case ILLEGAL:
      __builtin_trap();
    case OVERFLOW: {
      volatile char first = 0;
      return recurse(&first);
    }
    case THREAD:
      return crash_in_thread();
    case EXIT:
      exit(3);
    case QUICK_EXIT:
      _exit(4);
    case FREES:
      borrowed = (uintptr_t)args.ptr + 1;
      free((void*)borrowed);
      return say(call, "freed");
    default:
      return TP_E_UNSUPPORTED;
  }
}

static tp_status zoo_call(tp_instance* instance, uint32_t tool, tp_str args, tp_call* call) {
  (void)instance;
  switch (tool) {
    case WELL:
      return say(call, "well");
    case HANG:
    case DEAF:
      return hang(call, tool == DEAF);
    case LEAK:
      return leak(call);
    case HUGE_ANSWER:
      return huge_answer(call);
    case TWICE:
      return twice(call);
    case NEVER:
      return TP_PENDING;
    case LATE:
      return late(call);
    case FLOOD:
      return flood(call);
    case LOGS:
      return logs(call);
    case FORKS:
      return forks(call);
    case LONG_MIME:
      return long_mime(call);
    case CHILD_EXIT:
      return child_exit(call);
    case OUTSIDE:
      return outside(call);
    case SAYS: /* what the caller wrote, as careless plugins do */
      fprintf(stderr, "asked for %.*s\n", (int)args.len, args.ptr);
      return say(call, "said");
    case READER:
    case WRITER:
      return wait_a_little(call);
    default:
      return fault(tool, args, call);
  }
}

static void destroy(tp_instance* instance) {
  (void)instance;
#if defined(ZOO_CRASHES_IN_DESTROY)
  poke_null();
#endif
#if defined(ZOO_HANGS_IN_DESTROY)
  for (;;) pause();
#endif
}

#if defined(ZOO_CRASHES_AT_UNLOAD)
__attribute__((destructor)) static void on_unload(void) {
  poke_null();
}
#endif
#if defined(ZOO_CRASHES_AT_LOAD)
__attribute__((constructor)) static void on_load(void) {
  poke_null();
}
#endif

static const tp_instance_api api = {
    .struct_size = sizeof api, .concurrency = TP_CONCURRENT, .call = zoo_call, .destroy = destroy};

struct tp_instance {
  int unused;
};

static tp_status create(const tp_host_api* host, tp_host* handle, tp_str config,
                        const tp_instance_api** out_api, tp_instance** out) {
  static tp_instance instance;
  (void)config;
  host_api = host;
  host_handle = handle;
  *out_api = &api;
  *out = &instance;
  return TP_OK;
}

static const tp_plugin plugin = {
    .struct_size = sizeof plugin,
    .abi_major = TP_ABI_MAJOR,
    .tool_count = TOOL_COUNT,
    .tool_stride = sizeof(tp_tool),
    .tools = tools,
    .id = TP_STR("io.toolpost.test.faults"),
    .name = TP_STR("Faults"),
    .version = TP_STR(ZOO_VERSION),
    .create = create,
};

const tp_plugin* toolpost_plugin_v1(void) {
  return &plugin;
}
