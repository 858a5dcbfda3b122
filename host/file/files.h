// Handles the files that clients upload for their calls: signed URLs, uploads, downloads,
// attachments of calls, and expiry. A file belongs to a principal, and only calls of this principal
// can use it. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "file/folder.h"
#include "file/signed_url.h"
#include "file/upload.h"
#include "store/desk.h"
#include "tool/call/call.h"
#include "transport/http/http.h"

namespace host::file {

class Files : public std::enable_shared_from_this<Files> {
 public:
  struct Settings {
    std::filesystem::path folder;
    // `keep` is the time for which the host keeps a file after its upload.
    std::chrono::milliseconds keep{std::chrono::hours(24)};
    std::chrono::milliseconds url{std::chrono::hours(1)};  // how long a signed URL is valid
    std::chrono::milliseconds upload_timeout{std::chrono::hours(1)};
    std::uint64_t file_bytes = std::uint64_t{2} << 30u;  // the maximum size of one file
    store::FileQuota quota;
    std::uint32_t uploads = 64;  // maximum number of uploads of one principal in progress
    std::function<void(std::string_view limit)> on_refusal = {};
    // `read_again` is the pause before the host reads the signing key again, if the key could not
    // be read.
    std::chrono::milliseconds read_again{std::chrono::seconds(5)};
  };

  Files(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
        Settings settings);
  ~Files();  // waits until the current read or write has ended

  // Call start() before the host serves HTTP. After start(), the host removes expired files and
  // leftovers of killed hosts. If start() cannot read the key of signed URLs, it returns the Error,
  // and the host tries again until it has the key.
  boost::asio::awaitable<Result<void>> start();
  void stop();
  // Sets the address of this host for clients: "http://127.0.0.1:8808". The address is empty if it
  // is unknown.
  void is_at(std::string origin) { origin_ = std::move(origin); }
  const std::string& origin() const { return origin_; }
  // Returns true if the principal has or had an API key, valid or not. If a principal has API keys,
  // its signed URLs expire together with the last key that allows calls as the URL's agent.
  using HasApiKey = std::function<bool(const std::string& principal)>;
  void ask_for_keys(HasApiKey has_api_key) { has_api_key_ = std::move(has_api_key); }
  const Settings& settings() const { return settings_; }

  // Returns true if the host has read the key of signed URLs. Do not make a signed URL before
  // has_key() is true.
  bool has_key() const { return has_key_; }
  // sign_upload() and sign_download() make a signed URL. In `who`, the caller sets the members that
  // describe the requester, and for an upload also the members about the file. sign_upload() and
  // sign_download() set all other members of `who`. Signed::target is the path and query of the
  // URL.
  struct Signed {
    std::string id;
    std::string target;
    WallTime expires{};
  };
  Signed sign_upload(Grant who) const;
  Signed sign_download(Grant who, const std::string& id) const;
  // Reads the token of a signed URL. Returns nullopt if the token is not valid. The caller must
  // check the token's times and credentials.
  std::optional<Grant> read(Use use, std::string_view id, std::string_view token) const;

  // Begins an upload whose body has `bytes` bytes.
  std::variant<std::shared_ptr<Upload>, transport::HttpRefusal> begin(const Grant& grant,
                                                                      std::uint64_t bytes);

  using Found = std::optional<store::FileRecord>;
  // Returns nullopt if the file is unknown, has expired, or belongs to a different principal.
  boost::asio::awaitable<Result<Found>> find(std::string principal, std::string id);
  boost::asio::awaitable<Result<std::vector<store::FileRecord>>> list(std::string principal,
                                                                      std::string before,
                                                                      std::uint32_t most);
  boost::asio::awaitable<Result<bool>> remove(std::string principal, std::string id);
  // Opens the contents of a file that find() has returned.
  boost::asio::awaitable<Result<std::shared_ptr<transport::BodySource>>> open(
      const store::FileRecord& record);

  // Returns true if clients can download files by a URL of this host.
  bool has_urls() const { return has_key_ && !origin_.empty(); }
  // Makes a file from data that a call has returned. The file belongs to the call's principal and
  // counts towards the principal's limits. The Error InvalidArgument means that the data are not
  // base64. The Error Unavailable means that the host has no room for the file.
  struct Linked {
    store::FileRecord record;
    std::string url;     // the URL at which the caller downloads the file
    WallTime expires{};  // the time at which the URL expires
  };
  boost::asio::awaitable<Result<Linked>> keep(const tool::Call& call, std::string name,
                                              std::string content_type, std::string_view base64);
  // Makes a new URL for a file that find() has returned.
  Linked linked(const tool::Call& call, store::FileRecord record) const;

  // Adds the missing data to the attachments of a call that have only an id. The function opens no
  // files, because a call can wait for a long time and the host has few file descriptors. If an
  // attachment's id belongs to no file of the call's principal, the function returns an error
  // result that names this id.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> resolve(tool::Call& call);
  // Opens the files of the attachments that resolve() has completed. If a file was removed or
  // replaced since resolve() found it, the function returns an error result with the file's id.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> open_attached(tool::Call& call);

 private:
  // The struct Uploading contains the number and the bytes of a principal's uploads that are in
  // progress.
  struct Uploading {
    std::uint32_t files = 0;
    std::uint64_t bytes = 0;
  };

  transport::HttpRefusal refused(std::string_view limit, std::string message) const;
  // A Claim is the number of bytes of an upload. The bytes count as used as soon as the first byte
  // of the upload's body has arrived.
  using Claim = std::shared_ptr<std::uint64_t>;
  boost::asio::awaitable<std::optional<transport::HttpRefusal>> refusal(std::string principal,
                                                                        std::string id,
                                                                        std::uint64_t bytes,
                                                                        Claim claim);
  boost::asio::awaitable<Result<Found>> add(const Grant& grant, const Part& part);
  void ended(const Grant& grant, std::uint64_t bytes);
  boost::asio::awaitable<Result<void>> read_key();
  boost::asio::awaitable<void> read_key_again();
  boost::asio::awaitable<void> sweep_until_stopped();
  boost::asio::awaitable<Result<void>> sweep();
  // Removes files from the disk if the store has no row for them, or if their row has expired at
  // `now`.
  boost::asio::awaitable<Result<void>> remove_unknown(WallTime now);
  boost::asio::any_io_executor disk() { return disk_.get_executor(); }
  Grant grant_of(const tool::Call& call) const;
  std::string url_for(const tool::Call& call, const std::string& id) const;

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const Settings settings_;
  const std::shared_ptr<Folder> folder_;
  boost::asio::thread_pool disk_{1};
  SealKey key_{};
  bool has_key_ = false;
  std::string origin_;
  HasApiKey has_api_key_;                       // null: the host has no API keys
  std::map<std::string, Uploading> uploading_;  // by principal
  std::set<std::string> uploading_ids_;
  std::uint64_t uploading_bytes_ = 0;  // the sum for all principals
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer key_pause_;
  bool stopped_ = false;
};

}  // namespace host::file
