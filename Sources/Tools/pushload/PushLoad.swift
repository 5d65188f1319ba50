internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// The load harness: it measures real processes and reports the results.
@main
struct PushLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushload",
        abstract: "Drive real processes, a synthetic gateway and the engine, and compare their records.",
        discussion: """
            Requires pushmta and pushsink in the same folder. Exit status: 0 if all conditions hold, 1 if \
            one does not, 2 after wrong usage.
            """,
        subcommands: [
            DemoScenario.self, BenchScenario.self, ChaosScenario.self, HostsScenario.self,
            RecoveryScenario.self, NeighbourScenario.self, StallScenario.self, WeekScenario.self,
            FleetScenario.self, FuzzScenario.self, ClientsScenario.self, WebRatesScenario.self,
            SinglesScenario.self, ReportCommand.self,
            RateScenario.self, ScaleScenario.self, ControlScenario.self, SwitchScenario.self, Hello.self,
            CleanupCommand.self,
        ])

    static func main() async {
        Interruption.listen()
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as LoadError {
            Terminal.remark("\(error)")
            PushLoad.exit(withError: ExitCode(1))
        } catch let error as RefusedInput {
            Terminal.remark(error.description)
            PushLoad.exit(withError: ExitCode(2))
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { PushLoad.exit(withError: error) }
            Terminal.remark(fullMessage(for: error))
            PushLoad.exit(withError: ExitCode(2))
        }
    }
}

/// The commands that the help lists.
package enum LoadCommands {
    /// The name of each command and the text of its help.
    package static var help: [(name: String, discussion: String)] {
        PushLoad.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
            .map { ($0.commandName ?? "", $0.discussion) }
    }

    /// Parses a command line without the program's name, and runs nothing.
    /// - Throws: The reason why the program would refuse it.
    package static func parse(_ words: [String]) throws { _ = try PushLoad.parseAsRoot(words) }
}

/// Writes results to standard output and remarks to standard error, both immediately and unbuffered.
enum Terminal {
    static func line(_ text: String) { put(text, to: 1) }
    static func remark(_ text: String) { put("pushload: \(text)", to: 2) }

    private static func put(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension Double {
    /// Returns the number with the given number of decimals, for human readers: `0.41`.
    func fixed(_ decimals: Int) -> String {
        guard isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let units = Int((abs(self) * scale).rounded())
        let whole = units / Int(scale)
        let sign = self < 0 && units > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let fraction = String(units % Int(scale))
        return "\(sign)\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
    }
}
extension Sequence {
    func sum(of value: (Element) throws -> Int) rethrows -> Int { try reduce(0) { $0 + (try value($1)) } }
}

/// Returns a row of a Markdown table.
func tableRow(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

extension String {
    /// The first line of the text.
    var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
    func padded(to width: Int, with filler: String = " ") -> String {
        self + String(repeating: filler, count: max(width - count, 0))
    }
    /// The part of a path after its last slash.
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}

/// An error that stops a measurement or a scenario: one line that states what failed, where, and what to look
/// at.
package struct LoadError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    static let interrupted = LoadError("interrupted")

    static func unreadable(_ what: String, _ why: String) -> LoadError {
        LoadError("cannot read \(what): \(why)")
    }

    /// Returns the error about a program of this project.
    static func missing(_ program: String) -> LoadError {
        LoadError("\(program) is missing; build it with 'make build'")
    }

    /// Returns the error about a program that a package of Debian contains.
    static func notInstalled(_ program: String, debianPackage: String) -> LoadError {
        LoadError("\(program) is not installed; run 'sudo apt-get install \(debianPackage)'")
    }

    static func timedOut(_ what: String, after limit: Duration, last: String) -> LoadError {
        LoadError("waited \(limit.inSeconds) s for \(what)" + (last.isEmpty ? "" : "; last seen: \(last)"))
    }

    /// Returns the error of a system call that has just failed.
    package static func system(_ call: String, on subject: String, _ code: Int32 = errno) -> LoadError {
        LoadError("\(call) failed on \(subject): \(unsafe String(cString: strerror(code)))")
    }
}

/// A file on the command line that cannot be used. The error counts as wrong usage and is reported on one
/// line.
struct RefusedInput: Error, CustomStringConvertible {
    let description: String

    init(_ cause: LoadError) { description = cause.description }
}

extension Decodable {
    /// - Parameter source: The name of the JSON in an error.
    init(json bytes: some Sequence<UInt8>, from source: String) throws(LoadError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
            throw LoadError.unreadable(source, "\(error)")
        }
    }
}
