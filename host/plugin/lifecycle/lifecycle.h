// The lifecycle of one plugin goes from the library's file to the build that the host uses for
// calls (the serving generation). Every new build passes the states Absent, Staging, Probing,
// Starting and Active, in this order.
//
// If one of the steps fails, the state becomes Rejected, and calls continue to use the previous
// build.
//
// The previous build is kept for the rollback window (warm_build.h). The host publishes the
// previous build again if a worker of the new build crashes within the rollback window. The host
// also publishes the previous build again if far more calls fail because of the new build
// (call_tally.h). After a rollback, the host does not load the new file again until the file
// changes.
//
// The functions of this header are called on the I/O thread, and the lifecycle runs one load at a
// time.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "plugin/declared/narrowing.h"
#include "plugin/declared/policy.h"
#include "plugin/lifecycle/batch.h"
#include "plugin/lifecycle/loader.h"
#include "plugin/lifecycle/logged_refusals.h"
#include "plugin/lifecycle/status.h"
#include "plugin/lifecycle/trial.h"
#include "plugin/lifecycle/warm_build.h"
#include "plugin/serving/generation.h"
#include "plugin/serving/handover.h"

namespace host::plugin {

// Identifies the contents of the file at a path, by data from stat().
struct FileMark {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = -1;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileMark&) const = default;
};

// Identifies a library, its side file (config/reader/side_file.h), and the files next to it against
// which the host checks it (file/origin_check.h).
struct LibraryMark {
  FileMark library;
  FileMark checksum;   // equal to FileMark() if there is no checksum file
  FileMark signature;  // equal to FileMark() if there is no signature file
  FileMark side;       // equal to FileMark() if there is no side file
  bool operator==(const LibraryMark&) const = default;
};

class Lifecycle : public std::enable_shared_from_this<Lifecycle> {
 public:
  Lifecycle(std::string name, std::shared_ptr<Loader> loader);

  // Records the library that is in the folder now. Returns true if the caller must call
  // begin_load() for the library.
  bool sees(const std::filesystem::path& path, const LibraryMark& mark);
  // Loads the library that sees() recorded last. If sees() records a newer library during the load,
  // the lifecycle loads again. The first load publishes its build together with the other builds of
  // the batch of `place`. A load can make calls fail only during a hand-over of state
  // (Generation::hold_calls()). A call fails if too many calls are queued, or if the new build does
  // not have the call's tool or declares it in a different way. The lifecycle calls `ended` once,
  // when the load has ended or failed.
  void begin_load(std::shared_ptr<Batch::Place> place, std::function<void()> ended = nullptr);

  bool loading() const { return loading_; }
  bool present() const { return mark_.library.size >= 0; }
  void missing();  // the plugin's file was removed and did not return
  void retire();   // no build of the plugin serves afterwards
  // Returns true if the last load failed for a reason that can end although the files do not
  // change. If wants_another_try() is true, sees() returns true even for unchanged files.
  bool wants_another_try() const { return unsettled_ || broken_ || host_failed_; }

  // Loads the plugin's file again, even if this build is already in use, was refused or was rolled
  // back. Returns when the build is in use, or returns the reason why the build is not in use.
  // During the load, calls can fail for the same reasons as with begin_load().
  boost::asio::awaitable<Result<void>> load_again();
  // Ends the quarantine of the plugin's builds. The Error InvalidArgument means that no build is in
  // quarantine.
  boost::asio::awaitable<Result<void>> release();

  void set_refusals_of_files(std::vector<tool::Refusal> refusals) {
    file_refusals_ = std::move(refusals);
  }
  PluginStatus status() const;

 private:
  boost::asio::awaitable<void> load(std::shared_ptr<Batch::Place> place);
  // Reports that a load or rollback ended with an exception. A build whose load ended with an
  // exception counts as refused.
  void broke_off(const Error& why);

  struct Attempt;
  class Adopted;
  using Inheritance = std::shared_ptr<const SavedState>;  // null: the build starts without state

  boost::asio::awaitable<void> load_once(std::shared_ptr<Batch::Place> place);
  boost::asio::awaitable<Result<void>> try_load(Attempt& attempt, Batch::Place& place);
  // Returns the plugin's side file, or null if there is none. A side file counts as removed only
  // after a grace period, because many programs delete a file before they write it again.
  boost::asio::awaitable<Result<SideFilePtr>> settled_side_file(std::filesystem::path library);
  // Validates the library in the folder, or a staged library, with the settings that apply now
  // (`terms_`).
  boost::asio::awaitable<Result<void>> try_library(Attempt& attempt, Batch::Place& place,
                                                   bool same_side);
  // `source` is the path from which the private copy `staged` was made.
  boost::asio::awaitable<Result<void>> try_staged(std::filesystem::path source,
                                                  std::shared_ptr<const StagedFile> staged,
                                                  Batch::Place& place, bool same_side);
  // Starts a validated build and publishes it.
  boost::asio::awaitable<Result<void>> serve(Build build, std::string manifest, Inheritance state,
                                             Batch::Place& place);
  // Serves a validated build like serve(), but first transfers the state of the serving build to it
  // if the configuration allows this (`state`).
  boost::asio::awaitable<Result<void>> take_over(Build build, std::string manifest,
                                                 Batch::Place& place);
  std::shared_ptr<Batch::Place> place_alone() const;
  Build build_of(std::filesystem::path source, std::shared_ptr<const StagedFile> staged);
  // The host calls this function when the first worker starts for a build that was validated before
  // the host's start. An already validated build serves without a worker until a worker is needed.
  // If the worker's description of the library differs from the stored description, `fit` has the
  // Error. If the build is not published yet, the host calls hear_early_start() after the
  // publication.
  void started(std::uint32_t number, const Result<void>& fit);
  void hear_early_start();
  boost::asio::awaitable<void> compare_offer(std::shared_ptr<Generation> generation);
  void try_again(const Error& why);
  Result<void> check_isolation(const Manifest& manifest) const;
  Result<void> check_record(const std::string& hash);
  std::chrono::milliseconds idle_stop_of(const Build& build) const;
  // A build is published in two steps. present() makes the generation's offer for the catalog.
  // After the publication, take_refusals() gets the tools and other parts that the catalog has
  // refused.
  Result<void> present(std::shared_ptr<Generation> generation, std::string manifest,
                       const Taken& taken);
  static void take_early_news(Generation& generation);
  void take_refusals(std::vector<tool::Refusal> refusals);
  const config::Plugin& settings() const { return terms_.settings; }
  SideFileMay side_file_may(const std::filesystem::path& library) const;
  // Returns true if the side file is unchanged, so that earlier decisions about a build stay valid.
  bool is_same(const SideFilePtr& side) const;
  bool may_roll_back(const std::shared_ptr<Generation>& from) const;
  void crashed(const std::shared_ptr<Generation>& generation);
  void failed_a_call(const std::shared_ptr<Generation>& generation);
  // Says what the plugin lost when the bad build failed, before the rollback to the previous build.
  // After a crash, the plugin's state is lost.
  enum class Loses { Nothing, State };
  void begin_roll_back(std::shared_ptr<Generation> bad, Loses lost, std::string why);
  boost::asio::awaitable<void> roll_back(std::shared_ptr<Generation> bad, Loses lost,
                                         std::string why);
  void remember(Reload reload);
  void begin_fresh(const Error& why) const;
  void follow(const std::shared_ptr<Generation>& generation);
  boost::asio::awaitable<void> act_on(std::weak_ptr<Generation> from, News news);
  void offer_to_catalog();
  void record(const Attempt& attempt, const Result<void>& outcome);
  void tell(const Result<void>& outcome) const;
  std::string slot() const { return "plugin:" + name_; }

  const std::string name_;
  const std::shared_ptr<Loader> loader_;
  const config::Plugin configured_;  // the configuration's settings, without a side file
  // The settings of the serving build, or of the build that is being loaded, with the side file
  // applied.
  Terms terms_;
  SideFilePtr side_;  // null: the plugin has no side file
  std::filesystem::path path_;
  LibraryMark mark_;
  bool loading_ = false;
  bool again_ = false;
  bool unsettled_ = false;    // the load was stopped because the file was still being written
  bool broken_ = false;       // the last load threw an exception: the next scan loads again
  bool host_failed_ = false;  // the last load failed with an Io Error, such as a full disk
  bool tries_again_ = false;  // the next load loads the same files as the last load
  std::uint32_t accepted_ = 0;
  State state_ = State::Absent;
  std::shared_ptr<Generation> serving_;
  KnownLibrary known_;    // the description of the last validated build
  std::string manifest_;  // manifest of the serving build, as text from the library
  Trial trial_;
  // An EarlyStart contains the arguments of started() for a build that was not published yet.
  struct EarlyStart {
    std::uint32_t number = 0;
    Result<void> fit;
  };
  std::optional<EarlyStart> early_start_;
  WarmBuild before_;
  BuildRecords records_;
  // The hash of the build that was rolled back and is not loaded again. The hash is empty if there
  // is no rolled-back build.
  std::string rolled_back_hash_;
  std::string rolled_back_why_;
  std::string last_error_;
  std::vector<Reload> history_;
  std::vector<tool::Refusal> notes_;  // notes on the offer of the serving build
  std::vector<tool::Refusal> refusals_;
  LoggedRefusals logged_refusals_;
  std::vector<tool::Refusal> file_refusals_;
};

}  // namespace host::plugin
