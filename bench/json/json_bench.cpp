// Medians of parse, write and validate, beside RapidJSON's own. See README.md.
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "cases.h"
#include "json/json.h"
#include "json/schema/schema.h"

namespace {

namespace json = host::json;

struct Figure {
  double low = 0, median = 0, high = 0;  // nanoseconds a run
};

// This thread's CPU time, so that a busy machine disturbs less.
double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Work>
double round_ns(const Work& work, std::size_t runs) {
  const double start = cpu_ns();
  for (std::size_t i = 0; i < runs; ++i) work();
  return (cpu_ns() - start) / static_cast<double>(runs);
}

// How many runs fill a round.
template <class Work>
std::size_t runs_of(const Work& work) {
  round_ns(work, 3);
  return static_cast<std::size_t>(std::max(1.0, 2e6 / round_ns(work, 3)));
}

// Of several works, each round one after the other: what disturbs the machine disturbs them alike.
template <class... Works>
std::array<Figure, sizeof...(Works)> measure(const Works&... works) {
  constexpr std::size_t kRounds = 31;
  const std::array<std::size_t, sizeof...(Works)> runs = {runs_of(works)...};
  std::array<std::vector<double>, sizeof...(Works)> rounds;
  for (std::size_t i = 0; i < kRounds; ++i) {
    std::size_t at = 0;
    ((rounds[at].push_back(round_ns(works, runs[at])), ++at), ...);
  }
  std::array<Figure, sizeof...(Works)> figures;
  for (std::size_t at = 0; at < figures.size(); ++at) {
    std::sort(rounds[at].begin(), rounds[at].end());
    figures[at] = {rounds[at][kRounds / 10], rounds[at][kRounds / 2],
                   rounds[at][kRounds - 1 - kRounds / 10]};
  }
  return figures;
}

void keep(bool good) {
  if (!good) std::abort();
}

void print(const std::string& name, const Figure& figure, std::size_t bytes, double other_ns) {
  std::printf("%-40s %11.0f ns  (%.0f to %.0f)", name.c_str(), figure.median, figure.low,
              figure.high);
  if (bytes != 0) std::printf("  %6.0f MB/s", static_cast<double>(bytes) * 1e3 / figure.median);
  if (other_ns != 0) std::printf("  %.2f x RapidJSON", figure.median / other_ns);
  std::printf("\n");
}

// RapidJSON as it comes, with the one flag that both need; and with the one that makes its doubles
// right, as ours are. Trusted text only.
constexpr unsigned kTheirs = rapidjson::kParseValidateEncodingFlag;
constexpr unsigned kTheirsExact = kTheirs | rapidjson::kParseFullPrecisionFlag;

template <unsigned flags>
void parse_theirs(const std::string& text) {
  rapidjson::Document document;
  document.Parse<flags>(text.data(), text.size());
  keep(!document.HasParseError());
}

void bench_parse(const bench::TextCase& input) {
  const auto [theirs, exact, ours] = measure([&] { parse_theirs<kTheirs>(input.text); },
                                             [&] { parse_theirs<kTheirsExact>(input.text); },
                                             [&] { keep(json::parse(input.text).has_value()); });
  print("parse   " + input.name, ours, input.text.size(), theirs.median);
  std::printf("%58s %.2f x RapidJSON with exact doubles\n", "", ours.median / exact.median);
}

void bench_write(const bench::TextCase& input) {
  const auto document = json::parse(input.text);
  const auto write_theirs = [&] {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    document->root().Accept(writer);
    keep(!std::string(buffer.GetString(), buffer.GetSize()).empty());
  };
  const auto write_ours = [&] { keep(!json::write(document->root()).empty()); };
  const auto [theirs, ours] = measure(write_theirs, write_ours);
  print("write   " + input.name, ours, input.text.size(), theirs.median);
}

void bench_schema(const bench::SchemaCase& input) {
  const auto schema = json::schema::Schema::compile(input.schema);
  const auto instance = json::parse(input.instance);
  const bool valid = schema->accepts(instance->root());
  const auto [verdict] = measure([&] { keep(schema->accepts(instance->root()) == valid); });
  print("check   " + input.name, verdict, 0, 0);
  if (!valid) {
    const auto [explained] = measure([&] {
      std::vector<json::schema::Violation> violations;
      keep(!schema->validate(instance->root(), violations));
    });
    print("explain " + input.name, explained, 0, 0);
  }
  const auto [compiled] =
      measure([&] { keep(json::schema::Schema::compile(input.schema).has_value()); });
  print("compile " + input.name, compiled, 0, 0);
}

void print_cases() {
  std::string text = "[";
  for (const auto& input : bench::schema_cases()) {
    if (text.size() > 1) text += ',';
    text += "{\"name\":";
    json::write_string(input.name, text);
    text += ",\"schema\":" + input.schema + ",\"instance\":" + input.instance + '}';
  }
  std::printf("%s]\n", text.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--cases") == 0) {
    print_cases();
    return 0;
  }
  const std::string wanted = argc > 1 ? argv[1] : "";
  for (const auto& input : bench::text_cases()) {
    if (("parse " + input.name).find(wanted) != std::string::npos) bench_parse(input);
    if (("write " + input.name).find(wanted) != std::string::npos) bench_write(input);
  }
  for (const auto& input : bench::schema_cases()) {
    if (("schema " + input.name).find(wanted) != std::string::npos) bench_schema(input);
  }
  return 0;
}
