#include "file/names.h"

#include <gtest/gtest.h>

#include <string>

namespace host::file {
namespace {

TEST(FileNames, AreOneLineThatAReaderSeesWhole) {
  EXPECT_TRUE(is_file_name("q3.pdf"));
  EXPECT_TRUE(is_file_name("ä b.txt"));
  EXPECT_TRUE(is_file_name(std::string(255, 'x')));
  EXPECT_FALSE(is_file_name(std::string(256, 'x')));
  EXPECT_FALSE(is_file_name(""));
  EXPECT_FALSE(is_file_name("a\nb"));
  EXPECT_FALSE(
      is_file_name("a\xE2\x80\xAE"
                   "b"));
}

TEST(ContentTypes, AreATypeAndASubtypePerhapsWithParameters) {
  EXPECT_TRUE(is_content_type("application/pdf"));
  EXPECT_TRUE(is_content_type("text/plain; charset=utf-8"));
  for (const char* const bad :
       {"", "pdf", "/pdf", "text/", "text/a b", "text/plain\r\nX: y", "a/b/c"})
    EXPECT_FALSE(is_content_type(bad)) << bad;
  EXPECT_FALSE(is_content_type("text/" + std::string(255, 'x')));
}

}  // namespace
}  // namespace host::file
