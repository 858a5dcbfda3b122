#include "plugin/lifecycle/check_codes.h"

#include <algorithm>

namespace host::plugin {
namespace {

constexpr CheckCode kCodes[] = {
    {"E001", "The tables of the ELF file are broken. The host refuses the library.",
     "Build the library again, and copy it whole."},
    {"E002",
     "The library does not export toolpost_plugin_v1(). The host refuses it. Either it is not a "
     "plugin, or the function is hidden.",
     "Put TP_EXPORT before the function. In C++ use TOOLPOST_PLUGIN."},
    {"E003", "The library is built for another major version of the ABI. The host refuses it.",
     "Build it against the SDK of this host."},
    {"E004", "The library has relocations in its code. The host refuses it.",
     "Compile every source with -fPIC. toolpost_add_plugin() does."},
    {"E005", "The library asks for an executable stack. The host refuses it.",
     "Link with -z noexecstack, and end assembler files with a .note.GNU-stack section."},
    {"E006",
     "The library needs a newer glibc or libstdc++ than this machine has. The host refuses it.",
     "Build it on a system as old as this one. For libstdc++, linking with -static-libstdc++ "
     "-static-libgcc is enough."},
    {"E007", "The library uses symbols that no library defines. The host refuses it.",
     "Link the libraries that define them. With -z defs the linker reports them."},
    {"E011",
     "The library exports more than toolpost_plugin_v1(). Two plugins may then use each other's "
     "functions.",
     "Link with the version script of the SDK. toolpost_add_plugin() does."},
    {"E012",
     "The library has STB_GNU_UNIQUE symbols. Two builds of it share their static variables, and "
     "an inline plugin is never unloaded.",
     "Compile with -fno-gnu-unique and hidden visibility. toolpost_add_plugin() does."},
    {"E013",
     "The library is marked NODELETE, so an inline plugin is never unloaded, and its next builds "
     "add to the host's memory.",
     "Remove -z nodelete, or run the plugin in a worker."},
    {"E014",
     "The library uses static thread-local storage. A process has little of it, and an inline "
     "plugin is never unloaded.",
     "Compile without -ftls-model=initial-exec."},
    {"E015", "The library has no build id, so a backtrace cannot name the build.",
     "Link with --build-id=sha1. toolpost_add_plugin() does."},
    {"E016", "A library that this one needs was not found on this machine. It may not load.",
     "Install that library, or link it statically."},
    {"E017",
     "The library has a run path. It does not work, because the host loads a private copy from "
     "another folder.",
     "Link the libraries statically, or install them where the system finds them."},
    {"P001", "The file cannot be read, or it is not a shared library for this machine.",
     "Check the path, the permissions of the file and its folder, and the architecture."},
    {"P002",
     "The plugin does not start: it could not be loaded, refused its settings, crashed, or took "
     "longer than plugins.probe_timeout_s.",
     "The message has the reason. Give settings with --settings. The validation load of a host "
     "fails in the same way: it may not write, connect or start programs."},
    {"P003",
     "What the plugin declares is not valid, such as a tool's name or schema. The host refuses "
     "that tool, or the plugin.",
     "Change what the message names. toolpost/plugin.h has the rules of each field."},
    {"P004",
     "A call with example arguments ended without an answer: it crashed, took too long, or "
     "reported a fault.",
     "Call the tool with the arguments that the report shows."},
    {"P005", "A result does not match the output schema that the tool declares.",
     "Change the schema or the result. Clients refuse such results."},
    {"P006", "The name of the file is not a valid plugin name.", "Rename the file."},
    {"P007",
     "The plugin crashed, or did not return in time, when the host ended it: in quiesce(), in "
     "destroy() or in what runs when the library is unloaded.",
     "Join the plugin's threads in quiesce() and free its state in destroy(). The message has the "
     "signal and the place of a crash."},
    {"P008",
     "A function of the plugin's interceptor (tp.interceptor/1) failed around an example call, or "
     "gave an answer of the wrong shape. In a host, such a failure refuses calls.",
     "The message has the reason. toolpost/ext/interceptor.h describes the answers."},
    {"P009",
     "The side file, NAME.toml next to the library, is not valid, or a key of it would allow more "
     "than the plugin and the configuration do. The host refuses the plugin.",
     "The message has the file, the line and the key. See \"Side files\" in "
     "docs/operate/plugins.md."},
    {"W101",
     "The tool is not read-only, so each call needs approval unless a rule allows it. That is "
     "right for a tool that changes something.",
     "Mark the tool read-only if it changes nothing, neither here nor on another machine. A tool "
     "that is marked and changes something runs without being asked, which is worse than an "
     "approval. Name it pre_NAME if each call must be approved whatever the rules say."},
    {"W102",
     "The description of the tool is shorter than three words, or is its name. A model chooses a "
     "tool by its description.",
     "Say what the tool does and when to use it."},
    {"W103", "Parameters have no description, so a model must guess what they mean.",
     "Describe each parameter: unit, format, an example."},
    {"W104",
     "The plugin has no schema of its settings (config_schema), so the host cannot report a "
     "misspelt setting.",
     "Declare a schema, or one without properties if there are no settings. In C++ a struct "
     "Settings makes it."},
    {"W105",
     "The check found no example arguments that match the schema of the tool, so it did not call "
     "the tool.",
     "Add \"examples\" to the parameters. In C++: toolpost::example."},
    {"W106", "The tool answered example arguments with an error.",
     "Add \"examples\" with values that work. If the tool needs a network, files or services of "
     "the host that the check does not have, ignore the warning."},
    {"W107", "The side file has a key that cannot restrict a plugin. The host refuses the plugin.",
     "Remove the key, or have the operator add the folder to plugins.trusted_dirs."},
};

}  // namespace

std::span<const CheckCode> check_codes() {
  return kCodes;
}

const CheckCode* find_check_code(std::string_view code) {
  const auto* const found = std::find_if(std::begin(kCodes), std::end(kCodes),
                                         [code](const CheckCode& one) { return one.code == code; });
  return found == std::end(kCodes) ? nullptr : found;
}

}  // namespace host::plugin
