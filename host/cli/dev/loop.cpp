#include "cli/dev/loop.h"

#include <iostream>

#include "base/process/spawn.h"
#include "cli/dev/compiler_output.h"
#include "cli/dev/difference.h"
#include "cli/output/printed_result.h"
#include "json/json.h"

namespace host::cli::dev {
namespace fs = std::filesystem;
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;
constexpr const char* kOwnCall = "dev";  // the id of calls that this loop makes itself
constexpr std::size_t kLinesOfUnknown = 15;

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000) + "." +
                     std::to_string(time.count() % 1000 / 100) +
                     std::to_string(time.count() % 100 / 10);
  return text + " s";
}

std::string text_of(const Result<tool::CallResult>& result) {
  if (!result) return "error: " + result.error().message + "\n";
  return (result->is_error ? "error: " : "") + result_text(*result);
}

}  // namespace

Loop::Loop(app::Core& core, Project project, fs::path served, std::optional<LastCall> call)
    : core_(core),
      project_(std::move(project)),
      served_(std::move(served)),
      last_(std::move(call)) {}

void Loop::start() {
  core_.dispatcher().on_call([self = weak_from_this()](const tool::Call& call,
                                                       const std::string& arguments,
                                                       const Result<tool::CallResult>& result) {
    if (const auto alive = self.lock()) alive->note_call(call, arguments, result);
  });
  core_.plugins().on_setback([](const std::string& plugin, const std::string& what) {
    std::cout << plugin << ": " << what << std::endl;
  });
  watch();
  look();
}

void Loop::stop() {
  if (watcher_) watcher_->stop();
  stopped_->request();
}

// The watcher takes its folders once: where folders came or went, there is a new one.
void Loop::watch() {
  plugin::Watcher::Settings settings;
  settings.folders = project_.source_folders();
  settings.debounce = 20ms;
  settings.rescan = 1s;
  watched_folders_ = settings.folders.size();
  if (watcher_) watcher_->stop();
  watcher_ = std::make_shared<plugin::Watcher>(core_.io().get_executor(), std::move(settings));
  watcher_->start(
      [self = weak_from_this()] {
        if (const auto alive = self.lock()) alive->look();
      },
      [self = weak_from_this()] {
        const auto alive = self.lock();
        return alive && alive->project_.mark_of_sources() != alive->seen_;
      });
}

void Loop::look() {
  if (busy_) {
    again_ = true;
    return;
  }
  auto run = [self = shared_from_this()]() -> asio::awaitable<void> { co_await self->run(); };
  host::spawn(core_.io().get_executor(), {"cli", "builds what changed"}, std::move(run),
              [self = weak_from_this()](const Result<void>& ended) {
                const auto alive = self.lock();
                if (!alive || ended) return;
                alive->busy_ = false;
                std::cout << "build failed: " << ended.error().message << std::endl;
              });
}

asio::awaitable<void> Loop::run() {
  const auto self = shared_from_this();
  busy_ = true;
  do {
    again_ = false;
    const std::uint64_t mark = project_.mark_of_sources();
    if (mark == seen_) break;  // a build's own files, or an editor's
    seen_ = mark;
    co_await build_once();
  } while (again_ && !stopped_->requested());
  busy_ = false;
  const bool stopped = stopped_->requested();
  if (!stopped && project_.source_folders().size() != watched_folders_) watch();
}

asio::awaitable<void> Loop::build_once() {
  const auto saved = std::chrono::steady_clock::now();
  std::cout << "building: " << project_.how() << std::endl;
  const auto built = co_await project_.build(core_.io().get_executor(), stopped_);
  if (stopped_->requested()) co_return;
  if (!built) {
    std::cout << built.error().message << std::endl;
  } else if (!built->ok) {
    tell_failure(*built);
  } else {
    co_await serve(built->took, saved);
  }
}

void Loop::tell_failure(const Built& built) const {
  const CompilerOutput said = read_compiler_output(built.output);
  for (const std::string& line : said.first) std::cout << "  " << line << '\n';
  if (said.errors == 0) std::cout << last_lines(built.output, kLinesOfUnknown);
  std::cout << "build failed after " << seconds(built.took);
  if (said.errors > 0)
    std::cout << ": " << said.errors << " errors, " << said.warnings << " warnings";
  std::cout << "; what was built before still serves" << std::endl;
}

asio::awaitable<void> Loop::serve(std::chrono::milliseconds build_time,
                                  std::chrono::steady_clock::time_point saved) {
  std::vector<std::string> changed;
  const std::vector<fs::path> libraries = project_.plugins();
  for (const fs::path& library : libraries) {
    if (copy_changed(library)) changed.push_back(Project::name_of(library));
  }
  if (libraries.empty()) std::cout << "the build made no plugin: no .so exports its entry\n";
  co_await core_.plugins().reload();
  const auto all = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - saved);
  bool loaded = true;
  for (const std::string& name : changed) loaded = tell_served(name) && loaded;
  std::cout << "built in " << seconds(build_time);
  if (loaded) std::cout << ", loaded in " << seconds(all - build_time);
  std::cout << std::endl;
  co_await call_again();
}

// By a name of its own, then moved over: no half of it is ever seen.
bool Loop::copy_changed(const fs::path& library) {
  const std::string name = Project::name_of(library);
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(library, error);
  if (error || (copied_.contains(name) && copied_[name] == written)) return false;
  const fs::path fresh = served_ / ("." + name + ".new");
  fs::copy_file(library, fresh, fs::copy_options::overwrite_existing, error);
  if (!error) fs::permissions(fresh, fs::perms::owner_all, error);
  if (!error) fs::rename(fresh, served_ / (name + ".so"), error);
  if (error) {
    std::cout << "cannot copy " << library.string() << ": " << error.message() << '\n';
    return false;
  }
  copied_[name] = written;
  return true;
}

bool Loop::tell_served(const std::string& name) const {
  bool serves = true;
  for (const plugin::PluginStatus& status : core_.plugins().status()) {
    if (status.name != name) continue;
    if (status.last_error.empty()) {
      std::cout << name << ": generation " << status.generation << " serves";
      for (const std::string& tool : status.tools) std::cout << ' ' << tool;
      std::cout << '\n';
    } else {
      serves = false;
      std::cout << name << ": refused: " << status.last_error
                << (status.serving ? "; what was built before still serves\n" : "\n");
    }
    for (const tool::Refusal& refusal : status.refusals)
      std::cout << name << ": " << refusal.tool << " is not served: " << refusal.reason << '\n';
    for (const std::string& note : status.notes) std::cout << name << ": note: it " << note << '\n';
  }
  return serves;
}

asio::awaitable<void> Loop::call_again() {
  if (!last_) co_return;
  auto arguments = json::parse(last_->arguments);
  if (!arguments) co_return;
  const std::optional<std::string> before = last_->answer;
  tool::Call call;
  auto passport = std::make_shared<tool::Passport>();
  passport->call = passport->connection = kOwnCall;
  call.passport = std::move(passport);
  call.name = last_->tool;
  call.arguments = std::move(*arguments);
  const auto result = co_await core_.dispatcher().call(call);
  const std::string answer = text_of(result);
  std::cout << last_->tool << ' ' << last_->arguments << '\n';
  if (!before) {
    std::cout << answer;
  } else if (const std::string other = difference(in_lines(*before), in_lines(answer));
             !other.empty()) {
    std::cout << other;
  } else {
    std::cout << "  answers as before\n";
  }
  std::cout << std::flush;
  last_->answer = answer;
}

void Loop::note_call(const tool::Call& call, const std::string& arguments,
                     const Result<tool::CallResult>& result) {
  const std::string& id = call.passport->call;
  if (id == kOwnCall || id.empty()) return;
  if (result && (result->round || !result->task.empty())) return;  // no answer yet
  last_ = LastCall{call.name, arguments, text_of(result)};
}

}  // namespace host::cli::dev
