#include "plugin/services/attachments.h"

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

std::string list_of(const std::vector<Attachment>& attachments) {
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

}  // namespace

AttachmentService::AttachmentService(asio::any_io_executor io) : io_(std::move(io)) {}

AttachmentService::~AttachmentService() {
  if (thread_) thread_->join();
}

void AttachmentService::offer_in(ServiceTable& table) {
  table.add(ServiceId::AttachmentList, [](const std::shared_ptr<ServiceCall>& asked) {
    asked->answer({TP_OK, 0, list_of(attachments_of(*asked)), {}});
  });
  table.add(ServiceId::AttachmentRead,
            [this](const std::shared_ptr<ServiceCall>& asked) { read(asked); });
}

void AttachmentService::read(const std::shared_ptr<ServiceCall>& asked) {
  BodyReader body(asked->bytes);
  const std::uint64_t offset = body.u64();
  const std::uint32_t most = body.u32();
  const std::string_view id = body.text();
  if (!body.done() || most == 0 || most > TP_ATTACHMENT_PIECE)
    return asked->fail(TP_E_INVALID, "a malformed request, or a piece that is not 1 byte to 1 MiB");
  const std::vector<Attachment>& all = attachments_of(*asked);
  const auto at =
      std::find_if(all.begin(), all.end(), [id](const auto& one) { return one.id == id; });
  if (at == all.end()) return asked->fail(TP_E_INVALID, "the call has no attachment of that id");
  if (!thread_) thread_.emplace(1);
  asio::post(*thread_, [io = io_, asked, file = at->file, offset, most] {
    if (asked->cancel->requested()) return;
    auto answer = read_piece(file->get(), offset, most);
    asio::post(io,
               [asked, answer = std::move(answer)]() mutable { asked->answer(std::move(answer)); });
  });
}

}  // namespace host::plugin
