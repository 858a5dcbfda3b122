#include "cli/run.h"

int main(int argc, char** argv) {
  return host::cli::run(argc, argv);
}
