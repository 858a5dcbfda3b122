// The bodies of attachments.hpp.
#pragma once

#include <unistd.h>

#include "toolpost/detail/attachments.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE std::vector<Attachment> Attachments::list() const {
  const auto answer = detail::wait_for_good([this](const tp_reply* reply) -> tp_status {
    return api_ == nullptr ? TP_E_UNSUPPORTED : api_->list(host_, call_, reply);
  });
  std::vector<Attachment> files;
  detail::Reader in(answer.json, "list");
  detail::Codec<std::vector<Attachment>>::read(in, files);
  return files;
}

TOOLPOST_INLINE std::string Attachments::read(std::string_view id, std::uint64_t offset,
                                              std::uint32_t most) const {
  return detail::wait_for_good([&](const tp_reply* reply) -> tp_status {
           if (api_ == nullptr) return TP_E_UNSUPPORTED;
           return api_->read(host_, call_, {id.data(), id.size()}, offset, most, reply);
         })
      .bytes;
}

TOOLPOST_INLINE std::string Attachments::read(const Attachment& file, std::uint64_t most) const {
  std::string all;
  for (;;) {
    const std::string piece = read(file.id, all.size(), TP_ATTACHMENT_PIECE);
    if (piece.empty()) return all;
    if (all.size() + piece.size() > most)
      throw Error("the attachment " + file.name + " is longer than " + std::to_string(most) +
                  " bytes");
    all += piece;
  }
}

TOOLPOST_INLINE AttachmentFile Attachments::open(std::string_view id) const {
  const ServiceAnswer answer = detail::wait_for_good([&](const tp_reply* reply) -> tp_status {
    if (api_ == nullptr || !TP_HAS(tp_attachments_api, api_, open)) return TP_E_UNSUPPORTED;
    return api_->open(host_, call_, {id.data(), id.size()}, reply);
  });
  return AttachmentFile(static_cast<int>(answer.number));
}

TOOLPOST_INLINE AttachmentFile::~AttachmentFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TOOLPOST_INLINE AttachmentFile& AttachmentFile::operator=(AttachmentFile&& other) noexcept {
  if (this == &other) return *this;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = other.release();
  return *this;
}

TOOLPOST_INLINE int AttachmentFile::release() noexcept {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return descriptor;
}

}  // namespace v1
}  // namespace toolpost
