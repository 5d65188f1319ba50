internal import ArgumentParser

/// `--json`, wherever something is shown.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
    var isWanted = false
}
