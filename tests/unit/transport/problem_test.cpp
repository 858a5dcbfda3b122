#include "transport/http/problem.h"

#include <gtest/gtest.h>

#include <set>

#include "json/fault.h"

namespace host::transport {
namespace {

TEST(Problem, EachHasItsOwnTypeAndAStatusOfErrors) {
  std::set<std::string> uris;
  for (const ProblemType& type : problem_types()) {
    EXPECT_EQ(&type_of(type.problem), &type);
    EXPECT_TRUE(uris.insert(type_uri(type)).second) << type.name;
    EXPECT_TRUE(type.status >= 400 && type.status < 600) << type.name;
    EXPECT_EQ(type.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
    EXPECT_FALSE(type.title.empty() || type.title.ends_with('.')) << type.name;
    EXPECT_TRUE(type.meaning.ends_with('.')) << type.name;
  }
}

// The statuses that request_parser.cpp and http_connection.cpp give.
TEST(Problem, EachStatusOfTheParserHasAType) {
  for (const int status : {400, 403, 408, 413, 414, 417, 431, 505})
    EXPECT_EQ(type_of(problem_of_head(status)).status, status);
}

TEST(Problem, ADocumentHasTypeTitleStatusAndDetail) {
  EXPECT_EQ(problem_json(Problem::NotFound, "no \"a\""),
            R"({"type":"/v1/problems/not-found","title":"There is no such path or object",)"
            R"("status":404,"detail":"no \"a\""})");
}

TEST(Problem, AFaultOfAValueHasItsPointer) {
  EXPECT_EQ(problem_json(json::fault_at("/name", "is missing")),
            R"({"type":"/v1/problems/invalid-argument",)"
            R"("title":"A value is missing, unknown or wrong","status":422,)"
            R"("detail":"/name: is missing","pointer":"/name"})");
  EXPECT_EQ(problem_json(Error{ErrorKind::NotFound, "/name: is missing"}).find("pointer"),
            std::string::npos);
}

// What the host cannot read or write is not the caller's fault, and says nothing of files.
TEST(Problem, AnErrorOfFilesIsUnavailable) {
  EXPECT_EQ(problem_of(ErrorKind::Io), Problem::Unavailable);
  EXPECT_EQ(problem_of(ErrorKind::PluginFault), Problem::Internal);
}

}  // namespace
}  // namespace host::transport
