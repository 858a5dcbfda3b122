// Reads the operations of an OpenAPI document, one by one. If an operation cannot be served, the
// reader omits only this operation, and records the reason in `refusals`.
//
// Call step() of an OperationReader until it returns false, and then take().
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

// The constants below are the limits for one document: the number of its operations, the bytes of
// all definitions together, and the bytes of one definition.
inline constexpr std::size_t kMostOperations = 5000;
inline constexpr std::size_t kMostDefinitionBytes = 32u << 20u;
inline constexpr std::size_t kMostOfDefinition = 256u << 10u;  // the same for every upstream
// kMostOutputSchemas is the limit for the output schemas of all operations together. When
// kMostOutputSchemas is reached, further operations get no output schema.
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
  std::string release;  // the version of the API
  std::string version;  // the version of OpenAPI
};

// Any thread can call the functions of OperationReader, but only one thread at a time.
class OperationReader {
 public:
  OperationReader(ApiDocument document, ReadSettings settings);

  // Reads the next operation of the document, or searches the next path for operations. Returns
  // false if no operation is left, or if the limit of CPU time is reached (`most_time`).
  bool step();
  Operations take() { return std::move(read_); }

 private:
  struct Found {
    std::string path;
    std::string method;  // as in the document: "get"
    const json::Value* path_item = nullptr;
    const json::Value* operation = nullptr;
    std::string fault;  // why the operation cannot be served; empty: no reason
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
  std::vector<Found> found_;  // operations in the paths searched so far
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;                                  // bytes of all definitions so far
  std::size_t output_bytes_ = 0;                           // bytes of all output schemas so far
  std::map<std::string, std::string, std::less<>> names_;  // name -> "GET /path"
  std::size_t unnamed_refusals_ = 0;
  Operations read_;
};

}  // namespace host::upstream::openapi
