#include "plugin/services/attachments.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <toolpost/ext/attachments.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "json/json.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using tool::Attachment;

const std::vector<Attachment>& attachments_of(const ServiceCall& asked) {
  static const std::vector<Attachment> kNone;
  const tool::CallContext* const given = asked.call ? asked.call->passport->given.get() : nullptr;
  return given ? given->attachments : kNone;
}

std::string attachment_list(const std::vector<Attachment>& attachments) {
  std::string json = "[";
  for (const Attachment& one : attachments) {
    json += json.size() > 1 ? ",{\"id\":" : "{\"id\":";
    json::write_string(one.id, json);
    json += ",\"name\":";
    json::write_string(one.name, json);
    json += ",\"content_type\":";
    json::write_string(one.content_type, json);
    json += ",\"bytes\":" + std::to_string(one.bytes);
    if (!one.sha256.empty()) json += ",\"sha256\":\"" + one.sha256 + '"';
    if (!one.url.empty()) {
      json += ",\"url\":";
      json::write_string(one.url, json);
    }
    json += '}';
  }
  return json + "]";
}

HostAnswer failed(const char* what) {
  return {TP_E_INTERNAL, 0, {}, std::string(what) + ": " + std::strerror(errno)};
}

HostAnswer read_piece(int file, std::uint64_t offset, std::uint32_t most) {
  struct stat now {};
  if (::fstat(file, &now) != 0) return failed("an attachment cannot be looked at");
  const auto length = static_cast<std::uint64_t>(now.st_size);
  HostAnswer answer{TP_OK, length, {}, {}};
  if (offset >= length) return answer;
  answer.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, length - offset)));
  std::size_t got = 0;
  while (got < answer.bytes.size()) {
    const ssize_t read = ::pread(file, answer.bytes.data() + got, answer.bytes.size() - got,
                                 static_cast<off_t>(offset + got));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return failed("an attachment cannot be read");
    if (read == 0) break;  // it became shorter
    got += static_cast<std::size_t>(read);
  }
  answer.bytes.resize(got);
  return answer;
}

// Opens the same file once more, by no name: the name may be gone. The new descriptor has its own
// offset. O_NONBLOCK: a plugin that has the file open must not be able to stop this thread.
HostAnswer open_again(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  auto made = std::make_shared<UniqueFd>(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (*made) return {TP_OK, 0, {}, {}, std::move(made)};
  if (errno == EMFILE || errno == ENFILE)
    return {TP_E_NOMEM, 0, {}, "the host has too many open descriptors"};
  return failed("an attachment cannot be opened");
}

// Null: the call has no attachment with this id.
const Attachment* find_attachment(const ServiceCall& asked, std::string_view id) {
  const std::vector<Attachment>& all = attachments_of(asked);
  const auto at =
      std::find_if(all.begin(), all.end(), [id](const auto& one) { return one.id == id; });
  return at == all.end() ? nullptr : &*at;
}

// Null: see why_no_file().
std::shared_ptr<const UniqueFd> file_of(const ServiceCall& asked, std::string_view id) {
  const Attachment* const one = find_attachment(asked, id);
  return one ? one->file : nullptr;
}

constexpr std::size_t kMostIdsNamed = 8;

std::string why_no_file(const ServiceCall& asked, std::string_view id) {
  if (find_attachment(asked, id)) {
    return "the file is not open yet, because the host opens the files of a call when the tool is "
           "about to run: the tool can read it, but not a check function of the tool";
  }
  const std::vector<Attachment>& all = attachments_of(asked);
  std::string ids;
  for (std::size_t i = 0; i < std::min(all.size(), kMostIdsNamed); ++i)
    ids += (i == 0 ? "" : ", ") + all[i].id;
  if (all.size() > kMostIdsNamed) ids += ", ...";
  return "the call has no attachment of that id; it has " + (ids.empty() ? "none" : ids);
}

}  // namespace

AttachmentService::AttachmentService(asio::any_io_executor io) : io_(std::move(io)) {}

AttachmentService::~AttachmentService() {
  if (thread_) thread_->join();
}

void AttachmentService::offer_in(ServiceTable& table) {
  table.add(ServiceId::AttachmentList, [](const std::shared_ptr<ServiceCall>& asked) {
    asked->answer({TP_OK, 0, attachment_list(attachments_of(*asked)), {}});
  });
  table.add(ServiceId::AttachmentRead,
            [this](const std::shared_ptr<ServiceCall>& asked) { read(asked); });
  table.add(ServiceId::AttachmentOpen,
            [this](const std::shared_ptr<ServiceCall>& asked) { open(asked); });
}

void AttachmentService::read(const std::shared_ptr<ServiceCall>& asked) {
  BodyReader body(asked->bytes);
  const std::uint64_t offset = body.u64();
  const std::uint32_t most = body.u32();
  const std::string_view id = body.text();
  if (!body.done() || most == 0 || most > TP_ATTACHMENT_PIECE)
    return asked->fail(TP_E_INVALID, "a malformed request, or a piece that is not 1 byte to 1 MiB");
  auto file = file_of(*asked, id);
  if (!file) return asked->fail(TP_E_INVALID, why_no_file(*asked, id));
  answer_from_thread(asked, [file = std::move(file), offset, most] {
    return read_piece(file->get(), offset, most);
  });
}

void AttachmentService::open(const std::shared_ptr<ServiceCall>& asked) {
  auto file = file_of(*asked, asked->bytes);
  if (!file) return asked->fail(TP_E_INVALID, why_no_file(*asked, asked->bytes));
  if (!may_open_more(asked->call)) {
    return asked->fail(TP_E_BUSY, "the call has opened " + std::to_string(TP_ATTACHMENT_OPENS) +
                                      " files, and can open no more");
  }
  answer_from_thread(asked, [file = std::move(file)] { return open_again(file->get()); });
}

bool AttachmentService::may_open_more(const std::shared_ptr<tool::Invocation>& call) {
  std::erase_if(opened_, [](const auto& one) { return one.first.expired(); });
  std::uint32_t& opened = opened_[call];
  if (opened >= TP_ATTACHMENT_OPENS) return false;
  ++opened;
  return true;
}

void AttachmentService::answer_from_thread(const std::shared_ptr<ServiceCall>& asked,
                                           std::function<HostAnswer()> act) {
  if (!thread_) thread_.emplace(1);
  asio::post(*thread_, [io = io_, asked, act = std::move(act)] {
    if (asked->cancel->requested()) return;
    asio::post(io, [asked, answer = act()]() mutable { asked->answer(std::move(answer)); });
  });
}

}  // namespace host::plugin
