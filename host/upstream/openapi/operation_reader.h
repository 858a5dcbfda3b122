// Reads the operations of an OpenAPI document, one by one. An operation that cannot be served is
// dropped by itself, with the reason.
//
//     step() until it returns false -> take()
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/provider/offers.h"
#include "upstream/openapi/api_document.h"
#include "upstream/openapi/operation.h"
#include "upstream/openapi/security.h"
#include "upstream/openapi/servers.h"

namespace host::upstream::openapi {

// Operations of a document that are read, and bytes of all their definitions together.
inline constexpr std::size_t kMostOperations = 5000;
inline constexpr std::size_t kMostDefinitionBytes = 32u << 20u;
inline constexpr std::size_t kMostOfDefinition = 256u << 10u;  // as of any upstream
// Output schemas of all operations together. The rest of the operations has none.
inline constexpr std::size_t kMostOutputSchemas = 4u << 20u;

struct ReadSettings {
  ServerChoice servers;
  Known known;
  std::chrono::milliseconds most_time = kMostTime;  // CPU time for the whole document
};

struct Operations {
  std::vector<Operation> all;  // names are unique
  std::vector<tool::Refusal> refusals;
  std::string title;
  std::string release;  // of the API
  std::string version;  // of OpenAPI
};

// Any thread, but only one at a time.
class OperationReader {
 public:
  OperationReader(ApiDocument document, ReadSettings settings);

  // Reads the next operation, or looks for operations in the next path. Returns false if none is
  // left, or if the document has used up its time (api_document.h).
  bool step();
  Operations take() { return std::move(read_); }

 private:
  struct Found {
    std::string path;
    std::string method;  // as in the document: "get"
    const json::Value* path_item = nullptr;
    const json::Value* operation = nullptr;
    std::string fault;  // not empty: the operation is dropped
  };

  bool find_next();
  void find_in(const std::string& path, const json::Value& written);
  void refuse(const std::string& name, const std::string& reason);
  void read_next();
  Result<Operation> read(const Found& found);

  ApiDocument document_;
  const ReadSettings settings_;
  json::Value::ConstMemberIterator next_path_;
  json::Value::ConstMemberIterator last_path_;
  std::vector<Found> found_;  // of the paths so far
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;                                  // of the definitions
  std::size_t output_bytes_ = 0;                           // of the output schemas
  std::map<std::string, std::string, std::less<>> names_;  // name -> "GET /path"
  std::size_t unnamed_refusals_ = 0;
  Operations read_;
};

}  // namespace host::upstream::openapi
