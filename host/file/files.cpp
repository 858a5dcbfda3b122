#include "file/files.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/on_executor.h"
#include "base/process/spawn.h"
#include "base/text/encoding.h"
#include "file/download.h"

namespace host::file {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using store::FileRecord;
using transport::HttpRefusal;

constexpr const char* kIdPrefix = "file_";

constexpr const char* kOfFile = "limits.file_bytes";
constexpr const char* kOfPrincipal = "limits.file_bytes_per_principal";
constexpr const char* kFilesOfPrincipal = "limits.files_per_principal";
constexpr const char* kOfAll = "limits.files_bytes";
constexpr const char* kUploads = "limits.uploads_per_principal";

constexpr std::size_t kPiece = std::size_t{1} << 20u;  // of base64, a multiple of four
// The store answers a request about so many files in about a millisecond.
constexpr std::size_t kFilesAskedAtOnce = 256;
// How many times FileQuota::files a principal's removed ids may be, while their URLs are valid.
constexpr std::uint64_t kMostRemoved = 10;

std::string target_of(const std::string& id, const std::string& token) {
  return "/v1/files/" + id + "/content?token=" + token;
}

// The host has looked the file up, or another part of the host has opened it.
bool is_resolved(const tool::Attachment& one) {
  return one.file || !one.sha256.empty();
}

// Unknown, expired and foreign files look alike.
tool::CallResult no_such_file(tool::Call& call, const std::string& id) {
  call.outcome = tool::kBadArguments;
  return tool::CallResult::error("/attachments: you have no file \"" + id +
                                 "\", or it has expired. Nothing ran. Upload it again (POST "
                                 "/v1/files/presign-upload), and call with its new id.");
}

}  // namespace

Files::Files(asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
             Settings settings)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      settings_(std::move(settings)),
      folder_(std::make_shared<Folder>(settings_.folder)),
      pause_(io_),
      key_pause_(io_) {}

Files::~Files() {
  wipe(key_);
  disk_.join();
}

awaitable<Result<void>> Files::start() {
  auto read = co_await read_key();
  spawn(io_, {"file", "removes expired files"},
        [self = shared_from_this()] { return self->sweep_until_stopped(); });
  if (!read) {
    spawn(io_, {"file", "reads the key of signed URLs"},
          [self = shared_from_this()] { return self->read_key_again(); });
  }
  co_return read;
}

awaitable<Result<void>> Files::read_key() {
  store::Desk::Act<SealKey> ask = [](store::Store& store) { return store.files().signing_key(); };
  HOST_CO_TRY_ASSIGN(key_, co_await desk_->ask<SealKey>(std::move(ask)));
  has_key_ = true;
  co_return Result<void>();
}

// The store can be busy or read-only for a time, and no upload works without the key.
awaitable<void> Files::read_key_again() {
  while (!stopped_ && !has_key_) {
    key_pause_.expires_after(settings_.read_again);
    boost::system::error_code ignored;
    co_await key_pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (stopped_) co_return;
    const auto read = co_await read_key();
    if (read) log::info("file", "uploaded files can be served again");
  }
}

void Files::stop() {
  stopped_ = true;
  pause_.cancel();
  key_pause_.cancel();
}

Files::Signed Files::sign_upload(Grant who) const {
  who.id = kIdPrefix + random_id();
  who.made = clock_.wall();
  who.expires = who.made + settings_.url;
  return {who.id, target_of(who.id, token_of(key_, Use::Upload, who)), who.expires};
}

Files::Signed Files::sign_download(Grant who, const std::string& id) const {
  who.id = id;
  who.made = clock_.wall();
  who.expires = who.made + settings_.url;
  return {id, target_of(id, token_of(key_, Use::Download, who)), who.expires};
}

std::optional<Grant> Files::read(Use use, std::string_view id, std::string_view token) const {
  if (!has_key_) return std::nullopt;
  return read_token(key_, use, id, token);
}

HttpRefusal Files::refused(std::string_view limit, std::string message) const {
  if (settings_.on_refusal) settings_.on_refusal(limit);
  message += " (" + std::string(limit) + ")";
  if (limit == kOfFile) return {transport::Problem::TooLarge, std::move(message), {}};
  const char* const retry_after = limit == kUploads ? "1" : "60";
  return {limit == kOfAll ? transport::Problem::Unavailable : transport::Problem::LimitReached,
          std::move(message),
          {{"Retry-After", retry_after}}};
}

std::variant<std::shared_ptr<Upload>, HttpRefusal> Files::begin(const Grant& grant,
                                                                std::uint64_t bytes) {
  if (grant.bytes && bytes != *grant.bytes) {
    return HttpRefusal{transport::Problem::InvalidArgument,
                       "the URL is for a file of " + std::to_string(*grant.bytes) + " bytes",
                       {}};
  }
  if (bytes > settings_.file_bytes) {
    return refused(kOfFile, "a file may have " + std::to_string(settings_.file_bytes) + " bytes");
  }
  if (uploading_ids_.contains(grant.id)) {
    return HttpRefusal{transport::Problem::Conflict, "this file is being uploaded", {}};
  }
  const auto own = uploading_.find(grant.principal);
  if (own != uploading_.end() && own->second.files >= settings_.uploads) {
    return refused(kUploads, "too many uploads at the same time: retry later");
  }
  Uploading& now = uploading_[grant.principal];
  ++now.files;
  uploading_ids_.insert(grant.id);
  const Claim claim = std::make_shared<std::uint64_t>(0);
  Upload::Parts parts{
      io_,
      disk(),
      folder_,
      settings_.upload_timeout,
      [self = shared_from_this(), grant, bytes, claim] {
        return self->refusal(grant.principal, grant.id, bytes, claim);
      },
      [self = shared_from_this(), grant](const Part& part) { return self->add(grant, part); },
      [self = shared_from_this(), grant, claim] { self->ended(grant, *claim); }};
  return std::make_shared<Upload>(std::move(parts), grant.id, grant.sha256);
}

void Files::ended(const Grant& grant, std::uint64_t bytes) {
  const auto at = uploading_.find(grant.principal);
  at->second.bytes -= bytes;
  if (--at->second.files == 0) uploading_.erase(at);
  uploading_bytes_ -= bytes;
  uploading_ids_.erase(grant.id);
}

// Uploads in progress count with their whole length, so that none begins that could not be stored.
// They count from their first byte on, and within the limit of their principal: a length that is
// only announced must not keep others out.
awaitable<std::optional<HttpRefusal>> Files::refusal(std::string principal, std::string id,
                                                     std::uint64_t bytes, Claim claim) {
  struct Seen {
    bool is_taken = false;
    store::FileUsage used;
  };
  store::Desk::Act<Seen> ask = [principal, id](store::Store& store) -> Result<Seen> {
    Seen seen;
    HOST_TRY_ASSIGN(seen.is_taken, store.files().is_taken(id));
    HOST_TRY_ASSIGN(seen.used, store.files().usage(principal));
    return seen;
  };
  const auto seen = co_await desk_->ask<Seen>(std::move(ask));
  if (!seen) co_return HttpRefusal{transport::Problem::Unavailable, seen.error().message, {}};
  if (seen->is_taken)
    co_return HttpRefusal{transport::Problem::Conflict, "this file was uploaded already", {}};
  Uploading& now = uploading_[principal];
  const std::uint64_t before = std::exchange(*claim, 0);  // not 0: its file could not be opened
  now.bytes -= before;
  uploading_bytes_ -= before;
  const store::FileQuota& quota = settings_.quota;
  if (seen->used.files + now.files > quota.files)
    co_return refused(kFilesOfPrincipal, "you have too many files: delete some, or wait");
  if (seen->used.removed >= kMostRemoved * quota.files) {
    co_return refused(kFilesOfPrincipal,
                      "you have uploaded and removed too many files in a short time: wait");
  }
  if (seen->used.bytes + now.bytes + bytes > quota.bytes)
    co_return refused(kOfPrincipal, "your files are too large together: delete some, or wait");
  if (seen->used.of_all + uploading_bytes_ + bytes > quota.of_all)
    co_return refused(kOfAll, "this host has no room for more files: retry later");
  *claim = bytes;
  now.bytes += bytes;
  uploading_bytes_ += bytes;
  co_return std::nullopt;
}

awaitable<Result<Files::Found>> Files::add(const Grant& grant, const Part& part) {
  FileRecord record;
  record.id = grant.id;
  record.principal = grant.principal;
  record.name = grant.name;
  record.content_type = grant.content_type;
  record.bytes = part.bytes();
  record.digest = part.digest();
  record.created = clock_.wall();
  record.expires = record.created + settings_.keep;
  record.url_expires = grant.expires;
  using Added = store::FileStore::Added;
  store::Desk::Act<Added> act = [record, quota = settings_.quota](store::Store& store) {
    return store.files().add(record, quota);
  };
  HOST_CO_TRY_ASSIGN(const Added added, co_await desk_->ask<Added>(std::move(act)));
  if (added == Added::Full) {
    co_return Error{ErrorKind::Unavailable,
                    "there is no room for this file any more, so it is not stored: delete some"};
  }
  if (added == Added::Exists) co_return Found();
  co_return Found(std::move(record));
}

awaitable<Result<Files::Found>> Files::find(std::string principal, std::string id) {
  store::Desk::Act<Found> ask = [principal, id](store::Store& store) {
    return store.files().find(principal, id);
  };
  HOST_CO_TRY_ASSIGN(Found found, co_await desk_->ask<Found>(std::move(ask)));
  if (found && found->expires <= clock_.wall()) co_return Found();
  co_return found;
}

awaitable<Result<std::vector<FileRecord>>> Files::list(std::string principal, std::string before,
                                                       std::uint32_t most) {
  using List = std::vector<FileRecord>;
  store::Desk::Act<List> ask = [principal, before, most](store::Store& store) {
    return store.files().list(principal, before, most);
  };
  HOST_CO_TRY_ASSIGN(List records, co_await desk_->ask<List>(std::move(ask)));
  const WallTime now = clock_.wall();
  std::erase_if(records, [now](const FileRecord& one) { return one.expires <= now; });
  co_return records;
}

awaitable<Result<bool>> Files::remove(std::string principal, std::string id) {
  store::Desk::Act<bool> act = [principal, id](store::Store& store) {
    return store.files().remove(principal, id);
  };
  HOST_CO_TRY_ASSIGN(const bool removed, co_await desk_->ask<bool>(std::move(act)));
  if (removed) asio::post(disk_, [folder = folder_, id] { folder->remove(id); });
  co_return removed;
}

awaitable<Result<std::shared_ptr<transport::BodySource>>> Files::open(const FileRecord& record) {
  std::function<Result<std::shared_ptr<UniqueFd>>()> act =
      [folder = folder_, id = record.id]() -> Result<std::shared_ptr<UniqueFd>> {
    HOST_TRY_ASSIGN(UniqueFd file, folder->open(id));
    return std::make_shared<UniqueFd>(std::move(file));
  };
  HOST_CO_TRY_ASSIGN(
      const std::shared_ptr<UniqueFd> file,
      co_await on_executor<Result<std::shared_ptr<UniqueFd>>>(disk(), std::move(act)));
  const std::shared_ptr<transport::BodySource> body =
      std::make_shared<Download>(io_, disk(), std::move(*file), record.bytes);
  co_return body;
}

Grant Files::grant_of(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  Grant grant;
  grant.principal = who.principal;
  grant.agent = who.agent;
  grant.keyed = has_api_key_ && has_api_key_(who.principal);
  if (who.credential) {
    grant.login = who.credential->login;
    grant.until = who.credential->expires;
  }
  return grant;
}

std::string Files::url_for(const tool::Call& call, const std::string& id) const {
  if (!has_urls()) return {};
  return origin_ + sign_download(grant_of(call), id).target;
}

awaitable<Result<Files::Linked>> Files::keep(const tool::Call& call, std::string name,
                                             std::string content_type, std::string_view base64) {
  Grant grant = grant_of(call);
  grant.id = kIdPrefix + random_id();
  grant.name = std::move(name);
  grant.content_type = std::move(content_type);
  auto begun = begin(grant, base64.size() / 4 * 3);  // or up to two fewer
  if (auto* const refusal = std::get_if<HttpRefusal>(&begun))
    co_return Error{ErrorKind::Unavailable, std::move(refusal->message)};
  const auto upload = std::get<std::shared_ptr<Upload>>(std::move(begun));
  for (std::size_t at = 0; at < base64.size(); at += kPiece) {
    auto piece = from_base64(base64.substr(at, kPiece));
    if (!piece) co_return Error{ErrorKind::InvalidArgument, "it is no base64"};
    const auto refused = co_await upload->write(*std::move(piece));
    if (refused) co_return Error{ErrorKind::Unavailable, refused->message};
  }
  auto finished = co_await upload->finish();
  if (const auto* const failed = std::get_if<Error>(&finished)) co_return *failed;
  if (const auto* const refused = std::get_if<HttpRefusal>(&finished))
    co_return Error{ErrorKind::Unavailable, refused->message};
  co_return linked(call, std::get<FileRecord>(std::move(finished)));
}

Files::Linked Files::linked(const tool::Call& call, FileRecord record) const {
  const Signed made = sign_download(grant_of(call), record.id);
  const WallTime expires = std::min(made.expires, record.expires);
  return {std::move(record), origin_ + made.target, expires};
}

awaitable<Result<std::optional<tool::CallResult>>> Files::resolve(tool::Call& call) {
  std::vector<tool::Attachment> attachments = call.passport->given->attachments;
  using Batch = std::vector<Found>;
  store::Desk::Act<Batch> ask = [attachments, principal = call.passport->who.principal,
                                 now = clock_.wall(),
                                 folder = folder_](store::Store& store) -> Result<Batch> {
    Batch batch;
    for (const tool::Attachment& one : attachments) {
      Found& found = batch.emplace_back();
      if (is_resolved(one)) continue;
      HOST_TRY_ASSIGN(Found record, store.files().find(principal, one.id));
      if (!record || record->expires <= now) continue;
      const auto file = folder->open(one.id);  // a person is asked only if the file is there
      if (!file && file.error().kind == ErrorKind::NotFound) continue;
      if (!file) return file.error();
      found = std::move(record);
    }
    return batch;
  };
  HOST_CO_TRY_ASSIGN(const Batch batch, co_await desk_->ask<Batch>(std::move(ask)));
  for (std::size_t at = 0; at < attachments.size(); ++at) {
    tool::Attachment& one = attachments[at];
    if (is_resolved(one)) continue;
    const Found& found = batch[at];
    if (!found) co_return no_such_file(call, one.id);
    if (one.name.empty()) one.name = found->name;
    if (one.content_type.empty()) one.content_type = found->content_type;
    one.bytes = found->bytes;
    one.sha256 = to_hex(found->digest);
    one.url = url_for(call, one.id);
  }
  call.passport = tool::with_attachments(*call.passport, std::move(attachments));
  co_return std::nullopt;
}

// A reviewer approved the contents that resolve() found. The record is read after the file was
// opened, because an id gets another file only after its record was removed.
awaitable<Result<std::optional<tool::CallResult>>> Files::open_attached(tool::Call& call) {
  std::vector<tool::Attachment> attachments = call.passport->given->attachments;
  using Batch = std::vector<std::shared_ptr<const UniqueFd>>;
  store::Desk::Act<Batch> ask = [attachments, principal = call.passport->who.principal,
                                 now = clock_.wall(),
                                 folder = folder_](store::Store& store) -> Result<Batch> {
    Batch batch;
    for (const tool::Attachment& one : attachments) {
      auto& opened = batch.emplace_back(one.file);
      if (opened) continue;
      auto file = folder->open(one.id);
      if (!file && file.error().kind == ErrorKind::NotFound) continue;
      if (!file) return file.error();
      HOST_TRY_ASSIGN(const Found record, store.files().find(principal, one.id));
      if (record && record->expires > now && to_hex(record->digest) == one.sha256)
        opened = std::make_shared<const UniqueFd>(*std::move(file));
    }
    return batch;
  };
  HOST_CO_TRY_ASSIGN(Batch batch, co_await desk_->ask<Batch>(std::move(ask)));
  for (std::size_t at = 0; at < attachments.size(); ++at) {
    if (!batch[at]) co_return no_such_file(call, attachments[at].id);
    attachments[at].file = std::move(batch[at]);
  }
  call.passport = tool::with_attachments(*call.passport, std::move(attachments));
  co_return std::nullopt;
}

awaitable<void> Files::sweep_until_stopped() {
  using std::chrono::milliseconds;
  const auto every = std::clamp<milliseconds>(settings_.keep / 4, std::chrono::seconds(1),
                                              std::chrono::minutes(1));
  while (!stopped_) {
    const auto swept = co_await sweep();
    if (!swept) {
      log::warning("file", "expired files could not be removed",
                   {{"reason", swept.error().message}});
    }
    if (stopped_) break;
    pause_.expires_after(every);
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

// On a full disk the rows of expired files cannot be removed before their files have made room.
awaitable<Result<void>> Files::sweep() {
  using Ids = std::vector<std::string>;
  const WallTime now = clock_.wall();
  store::Desk::Act<Ids> forget = [now](store::Store& store) {
    return store.files().forget_expired(now);
  };
  const auto forgotten = co_await desk_->ask<Ids>(std::move(forget));
  HOST_CO_TRY(co_await remove_unknown(now));
  if (!forgotten) co_return forgotten.error();
  co_return Result<void>();
}

awaitable<Result<void>> Files::remove_unknown(WallTime now) {
  using Ids = std::vector<std::string>;
  using Leftovers = std::vector<Folder::Leftover>;
  std::function<Result<Leftovers>()> look = [folder = folder_] { return folder->unlocked(); };
  HOST_CO_TRY_ASSIGN(Leftovers seen,
                     co_await on_executor<Result<Leftovers>>(disk(), std::move(look)));
  std::set<std::string> gone;
  for (std::size_t from = 0; from < seen.size() && !stopped_; from += kFilesAskedAtOnce) {
    Ids ids;
    const std::size_t end = std::min(seen.size(), from + kFilesAskedAtOnce);
    for (std::size_t i = from; i < end; ++i) ids.push_back(seen[i].id);
    store::Desk::Act<Ids> ask = [ids, now](store::Store& store) {
      return store.files().unknown_of(ids, now);
    };
    HOST_CO_TRY_ASSIGN(const Ids unknown, co_await desk_->ask<Ids>(std::move(ask)));
    gone.insert(unknown.begin(), unknown.end());
  }
  if (seen.empty() || stopped_) co_return Result<void>();
  std::function<int()> remove = [folder = folder_, seen, gone] {
    for (const Folder::Leftover& one : seen) {
      if (gone.contains(one.id) || one.name != one.id) folder->remove(one);
    }
    return 0;
  };
  co_await on_executor<int>(disk(), std::move(remove));
  co_return Result<void>();
}

}  // namespace host::file
