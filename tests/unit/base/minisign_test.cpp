#include "base/minisign.h"

#include <gtest/gtest.h>

namespace host {
namespace {

// Made by minisign itself, of the file "test" with the bytes "test".
constexpr std::string_view kKey = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
constexpr std::string_view kPrehashed =
    "untrusted comment: signature from minisign secret key\n"
    "RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/"
    "z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n"
    "trusted comment: timestamp:1556193335\tfile:test\n"
    "y/rUw2y8/hOUYjZU71eHp/"
    "Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==\n";
constexpr std::string_view kLegacy =
    "untrusted comment: signature from minisign secret key\n"
    "RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+"
    "dP9eKL8OC351vwIasSSbXxwA=\n"
    "trusted comment: timestamp:1555779966\tfile:test\n"
    "QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/"
    "VqE81QFuMKI5k/SfNQUaOAA==\n";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  return out.replace(out.find(from), from.size(), to);
}

std::string fault(std::string_view text) {
  const auto read = read_minisign_signature(text);
  return read ? "" : read.error().message;
}

TEST(Minisign, VerifiesBothAlgorithmsOfMinisign) {
  const auto key = read_minisign_key(kKey);
  ASSERT_TRUE(key);
  EXPECT_EQ(to_string(key->id), "E7620F1842B4E81F");
  for (const std::string_view text : {kPrehashed, kLegacy}) {
    const auto signature = read_minisign_signature(text);
    ASSERT_TRUE(signature) << signature.error().message;
    EXPECT_EQ(signature->prehashed, text == kPrehashed);
    EXPECT_TRUE(signature->trusted_comment.ends_with("file:test"));
    EXPECT_TRUE(is_signed_by(*key, *signature, "test"));
    EXPECT_TRUE(vouches_for_comment(*key, *signature));
    EXPECT_FALSE(is_signed_by(*key, *signature, "Test"));
    EXPECT_FALSE(is_signed_by(*key, *signature, ""));
  }
}

TEST(Minisign, TakesLineEndsOfOtherSystems) {
  std::string text(kLegacy);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, "\r");
  const auto signature = read_minisign_signature(text);
  ASSERT_TRUE(signature);
  EXPECT_TRUE(vouches_for_comment(*read_minisign_key(kKey), *signature));
}

TEST(Minisign, RefusesWhatWasChanged) {
  const auto key = read_minisign_key(kKey);
  const auto comment = read_minisign_signature(replaced(kLegacy, "file:test", "file:best"));
  ASSERT_TRUE(comment);
  EXPECT_TRUE(is_signed_by(*key, *comment, "test"));
  EXPECT_FALSE(vouches_for_comment(*key, *comment));
  // The other algorithm than it was made by, and another key's number.
  EXPECT_FALSE(
      is_signed_by(*key, *read_minisign_signature(replaced(kLegacy, "\nRWQ", "\nRUQ")), "test"));
  EXPECT_FALSE(
      is_signed_by(*key, *read_minisign_signature(replaced(kLegacy, "\nRWQf", "\nRWQg")), "test"));
}

TEST(Minisign, SaysWhichLineIsMalformed) {
  EXPECT_NE(fault("").find("line 1"), std::string::npos);
  EXPECT_NE(fault(replaced(kLegacy, "untrusted", "trusted")).find("line 1"), std::string::npos);
  EXPECT_NE(fault(replaced(kLegacy, "RWQf", "RWQ*")).find("line 2"), std::string::npos);
  EXPECT_NE(fault(replaced(kLegacy, "\nRWQ", "\nRXQ")).find("algorithm"), std::string::npos);
  EXPECT_NE(fault(replaced(kLegacy, "\ntrusted", "\nuntrusted")).find("line 3"), std::string::npos);
  EXPECT_NE(fault(replaced(kLegacy, "QtKM", "Qt")).find("line 4"), std::string::npos);
  EXPECT_NE(fault(kLegacy.substr(0, kLegacy.find("QtKM"))).find("line 4"), std::string::npos);
  EXPECT_NE(fault(std::string(kLegacy) + "more\n").find("more than 4"), std::string::npos);
  EXPECT_NE(fault(std::string(20'000, 'a')).find("longer"), std::string::npos);
}

TEST(Minisign, RefusesWhatIsNoPublicKey) {
  EXPECT_FALSE(read_minisign_key(""));
  EXPECT_FALSE(read_minisign_key(kKey.substr(1)));
  EXPECT_FALSE(read_minisign_key(replaced(kKey, "RW", "RU")));
  EXPECT_FALSE(read_minisign_key(std::string(kKey) + "\n"));
}

}  // namespace
}  // namespace host
