internal import ArgumentParser
internal import PushConfig
internal import PushWire

/// `config check`: everything that is to be said about the file, good or bad.
struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say what is wrong with the configuration file, each with line and column.",
        discussion: """
            Errors keep every command from starting; warnings, notes and settings that are known but not used do \
            not. Notes say what rate to Android the settings can reach, where that is less than the quota, and what \
            rate to the old binary gateway, where the file speaks of it. \
            Exit status 3 where there is an error, 1 where the file cannot be read.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        do {
            let loaded = try ConfigurationFile.load(path: config.path, productVersion: ProductVersion.text)
            try show(loaded.findings + loaded.notes, of: loaded.path, isGood: true)
        } catch let error as ConfigurationError where error.cause == .refused {
            try show(error.findings, of: error.path, isGood: false)
            throw Ending.refused
        }
    }

    private func show(_ findings: [Finding], of path: String, isGood: Bool) throws {
        guard !json.isWanted else {
            return try StandardOutput.json([
                "path": .string(path), "valid": .boolean(isGood),
                "findings": .array(findings.map(\.json)),
            ])
        }
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count { $0.severity == .warning }
        let sum = isGood ? "good" : Numerals.count(errors, "error")
        let lines = findings.map { $0.text(inFile: path) }
        try StandardOutput.lines(lines + ["\(path): \(sum), \(Numerals.count(warnings, "warning"))"])
    }
}

extension Finding {
    fileprivate var json: JSONValue {
        [
            "severity": .string(severity.rawValue), "line": .integer(line), "column": .integer(column),
            "message": .string(message),
        ]
    }
}
