#include "cli/run/run.h"
#include "commit.h"

int main(int argc, char** argv) {
  return host::cli::run(argc, argv, host::commit());
}
