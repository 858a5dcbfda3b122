#include "plugin/serving/worker_generation.h"

#include <algorithm>

namespace host::plugin {
namespace {

constexpr std::uint64_t kExaminerBytes = 1u << 30u;  // unpacked debug information is large
constexpr std::uint64_t kExaminerSeconds = 5;

// No grant of the plugin's is its own.
sandbox::Profile examiner_for(const sandbox::Profile& plugin) {
  sandbox::Profile profile;
  profile.library = plugin.library;
  profile.work_dir = plugin.work_dir;
  profile.uid = plugin.uid;
  profile.required = plugin.required;
  profile.memory_bytes = kExaminerBytes;
  profile.cpu_seconds = kExaminerSeconds;
  return profile;
}

WorkerProcess::Settings settings_with(const Surroundings& around, const Build& build,
                                      const sandbox::Profile& profile, bool probe) {
  WorkerProcess::Settings settings;
  settings.executable = around.worker;
  settings.plugin = build.plugin;
  settings.config.library = build.staged->file.string();
  settings.config.settings = build.settings;
  settings.config.secrets = build.secrets;
  settings.config.result_bytes = around.result_bytes;
  settings.config.threads = build.max_inflight > 0 ? std::min(build.max_inflight, 256u) : 64;
  settings.config.selftest = probe;
  settings.config.profile = profile;
  settings.config.profile.library = settings.config.library;
  settings.config.profile.work_dir = around.work_dir.string();
  settings.examiner = examiner_for(settings.config.profile);
  settings.filters = around.filters;
  settings.places = around.places;
  settings.env = build.env;
  settings.probe = probe;
  settings.times = {around.start_timeout, around.ping_every, around.pong_within};
  settings.place_within = around.place_within;
  settings.services = around.services;
  settings.side_settings = build.side_settings;
  settings.grace = around.grace;
  // A limit that an operator chose may protect something outside the worker, which is still in use.
  // A side file chooses none.
  settings.lets_go = build.max_inflight == config::Plugin().max_inflight && !build.side_settings;
  settings.end_timeout = around.end_timeout;
  return settings;
}

std::optional<WorkerProcess::Settings> reading_settings(const Surroundings& around,
                                                        const Build& build) {
  if (!build.reading_profile) return std::nullopt;
  return settings_with(around, build, *build.reading_profile, false);
}

}  // namespace

WorkerProcess::Settings WorkerGeneration::worker_settings(const Surroundings& around,
                                                          const Build& build, bool probe) {
  return settings_with(around, build, build.profile, probe);
}

WorkerGeneration::WorkerGeneration(std::shared_ptr<Surroundings> surroundings, Build build_of,
                                   std::shared_ptr<WorkerProcess> worker, std::string manifest,
                                   Started started)
    : Generation(std::move(surroundings), std::move(build_of)),
      pool_(around(), build(), worker_settings(*around(), build(), false),
            reading_settings(*around(), build()), manifest) {
  if (worker) {
    pool_.adopt(std::move(worker));
  } else {
    pool_.start_later(std::move(started));
  }
}

WorkerGeneration::~WorkerGeneration() {
  pool_.retire();
}

void WorkerGeneration::begin(std::shared_ptr<tool::Invocation> invocation) {
  if (invocation->function == tool::Function::Call) {
    invocation->on_end = [watch = std::weak_ptr(watch_),
                          call = invocation.get()](const Result<tool::CallResult>& end) {
      const auto alive = watch.lock();
      if (!alive) return;
      const bool fault = CallTally::is_fault(*call, end, std::chrono::steady_clock::now());
      alive->tally.add(fault);
      if (fault && alive->on_fault) alive->on_fault();
    };
  }
  pool_.start(std::move(invocation));
}

void WorkerGeneration::ask_for_state(Saved told) {
  pool_.save_state(std::move(told));
}

NewsInbox& WorkerGeneration::news() {
  return pool_.news();
}

void WorkerGeneration::on_crash(std::function<void()> act) {
  pool_.on_crash(act);
}

void WorkerGeneration::heard_news() {
  pool_.heard_news();
}

void WorkerGeneration::stop(const std::shared_ptr<tool::Invocation>& invocation) {
  pool_.cancel(invocation);
}

std::vector<pid_t> WorkerGeneration::pids() const {
  return pool_.pids();
}

std::uint32_t WorkerGeneration::restarts() const {
  return pool_.restarts();
}

sandbox::Applied WorkerGeneration::sandbox() const {
  return pool_.sandbox();
}

}  // namespace host::plugin
