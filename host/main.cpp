#include "cli/run/run.h"

int main(int argc, char** argv) {
  return host::cli::run(argc, argv);
}
