package import ArgumentParser

/// A run with real processes, and the conditions that it must meet. Each scenario is one command of
/// `pushload`. The command's options are the scenario's parameters.
///
/// A scenario declares its options, its testbed, the course of its run, and the verdict on the outcome.
/// Everything else is common to all scenarios: ``run()`` creates a testbed for each of ``parts``, prints the
/// command that repeats the run, the progress and the verdict, and throws an error if a condition does not
/// hold.
package protocol Scenario: AsyncParsableCommand, Sendable {
    associatedtype Outcome: Sendable

    var settings: TestbedSettings { get }
    /// The accepted values of options, keyed by the options' names.
    var limits: KeyValuePairs<String, ClosedRange<Int>> { get }
    /// Checks the options for conditions that the limits do not cover.
    func checkOptions() throws
    /// The parts of the scenario, which run in separate testbeds.
    var parts: [Self] { get }
    /// The number of parts that run side by side.
    var partsAtOnce: Int { get }

    /// - Parameter say: Prints a line about the progress.
    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome
    func verdict(on outcome: Outcome) -> Verdict
    /// - Parameter earlier: The outcomes of the parts before this one.
    func verdict(on outcome: Outcome, after earlier: [Outcome]) -> Verdict
}

/// The evaluation of a run.
package struct Verdict: Sendable {
    /// The measurements, one per line.
    package var figures: [String]
    /// The conditions that must hold.
    package var findings: [Finding]

    package init(figures: [String] = [], _ findings: [Finding] = []) {
        (self.figures, self.findings) = (figures, findings)
    }
}

/// A condition that a run must meet, and whether the run meets it.
package struct Finding: Sendable, CustomStringConvertible {
    package var what: String
    package var holds: Bool
    var numbers: String

    init(_ what: String, _ holds: Bool, _ numbers: String) {
        (self.what, self.holds, self.numbers) = (what, holds, numbers)
    }

    package var description: String { "\(holds ? "holds " : "BROKEN")  \(what): \(numbers)" }

    /// - Parameter bad: The number of requests with a wrong answer or without an answer.
    static func answered(bad: Int) -> Finding {
        Finding("every request is answered as expected", bad == 0, "\(bad) were not")
    }
}

extension Scenario {
    package var limits: KeyValuePairs<String, ClosedRange<Int>> { [:] }
    package var parts: [Self] { [self] }
    package var partsAtOnce: Int { 1 }

    package func verdict(on outcome: Outcome) -> Verdict where Outcome == Verdict { outcome }
    package func verdict(on outcome: Outcome, after earlier: [Outcome]) -> Verdict { verdict(on: outcome) }

    /// Parses these command-line options, lets `change` set further values, and returns the resulting
    /// scenario. All other options have their defaults.
    package static func with(
        _ options: [String] = [], _ change: (inout Self) -> Void = { _ in }
    ) throws -> Self { try parse(options).with(change) }

    func with(_ change: (inout Self) -> Void) -> Self {
        var scenario = self
        change(&scenario)
        return scenario
    }

    package func checkOptions() throws {}

    package func validate() throws {
        for (name, range) in limits {
            guard let value = options.first(where: { $0.name == name })?.value as? Int else {
                throw ValidationError("--\(name) is not an option with a number.")
            }
            guard range.contains(value) else {
                throw ValidationError("--\(name) takes \(range.lowerBound) to \(range.upperBound).")
            }
        }
        try checkOptions()
    }

    // MARK: Running

    package func run(in testbed: Testbed) async throws -> Outcome {
        try await run(in: testbed, say: { _ in })
    }

    package func run() async throws {
        let (parts, width) = (parts, partsAtOnce)
        var (outcomes, broken) = ([Outcome](), [String]())
        try await withThrowingTaskGroup(of: (outcome: Outcome?, broken: String?).self) { group in
            func finish(_ ended: (outcome: Outcome?, broken: String?)) {
                if let outcome = ended.outcome { outcomes.append(outcome) }
                if let text = ended.broken { broken.append(text) }
            }
            for (place, part) in parts.enumerated() {
                if place >= width, let ended = try await group.next() { finish(ended) }
                group.addTask { [outcomes] in try await part.play(after: outcomes, of: parts.count) }
            }
            for try await ended in group { finish(ended) }
        }
        guard broken.isEmpty else { throw LoadError(broken.joined(separator: "; ")) }
        if parts.count > 1 { Terminal.line("all assertions hold in all \(parts.count) runs") }
    }

    /// - Returns: The outcome, and one line that names the conditions that do not hold. Each is `nil` if it
    ///   does not exist.
    private func play(after earlier: [Outcome], of count: Int) async throws -> (Outcome?, String?) {
        let seed = options.first { $0.name == "seed" }.map { "\($0.value)" }
        let mark = seed.flatMap { count > 1 ? "\($0)  " : nil } ?? ""
        let name = seed.map { "seed \($0): " } ?? ""
        let say = { (text: String) in Terminal.line(mark + text) }
        say((seed.map { "seed       \($0); " } ?? "") + "again: \(commandLine)")
        var isBroken = false
        do {
            return try await Testbed.use(settings, keepsFolder: { isBroken }) { testbed in
                let begin = ContinuousClock.now
                let outcome = try await run(in: testbed, say: say)
                let seconds = (ContinuousClock.now - begin).inSeconds
                let verdict = verdict(on: outcome, after: earlier)
                (verdict.figures + verdict.findings.map(\.description)).forEach(say)
                let broken = verdict.findings.filter { !$0.holds }
                let (all, sound) = (verdict.findings.count, verdict.findings.count - broken.count)
                if all > 0 {
                    say("\(sound) of \(all) assertions hold after \(seconds.fixed(1)) s")
                }
                isBroken = !broken.isEmpty
                let names = broken.map(\.what).joined(separator: "; ")
                return (outcome, isBroken ? "\(name)does not hold: \(names)" : nil)
            }
        } catch let error as LoadError where error != .interrupted { return (nil, "\(name)\(error)") }
    }
}

/// The random seed that an option sets. The seed is different in each run unless the option is given.
package struct Seed: ExpressibleByArgument, ExpressibleByIntegerLiteral, CustomStringConvertible, Sendable {
    package var number: UInt64

    package init() { number = .random(in: 1...999_999) }
    package init(_ number: UInt64) { self.number = number }
    package init(integerLiteral number: UInt64) { self.number = number }
    package init?(argument: String) {
        guard let number = UInt64(argument) else { return nil }
        self.number = number
    }

    package var description: String { "\(number)" }
    package var defaultValueDescription: String { "random" }

    /// Returns the given number of seeds, starting with this one.
    func followed(by count: Int) -> [Seed] { (0..<UInt64(count)).map { Seed(number &+ $0) } }
}

/// The comma-separated values of an option.
package struct Listed<Element: LosslessStringConvertible & Sendable>: ExpressibleByArgument,
    ExpressibleByArrayLiteral, CustomStringConvertible, Sendable
{
    package var elements: [Element]
    /// The default as help shows it; `nil` if help shows the elements.
    private var name: String?

    init(_ elements: [Element], named name: String? = nil) { (self.elements, self.name) = (elements, name) }
    package init(arrayLiteral elements: Element...) { self.elements = elements }
    package init?(argument: String) {
        let words = argument.split(separator: ",")
        elements = words.compactMap { Element(String($0)) }
        guard elements.count == words.count else { return nil }
    }

    package var description: String {
        elements.isEmpty ? "''" : elements.map(\.description).joined(separator: ",")
    }
    package var defaultValueDescription: String { name ?? description }
}

extension ArgumentHelp {
    static let seed: ArgumentHelp = "The random seed of the run. The same seed repeats the run."
    static let store: ArgumentHelp =
        "The store's engine: sqlite, or postgresql with a server from Debian's package that the run starts."

    static func count(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "count") }
    static func seconds(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "seconds") }
}

extension TestbedSettings.StoreEngine: ExpressibleByArgument {}

extension Scenario {
    /// The options that have a value, in order.
    var options: [(name: String, value: Any)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let label = child.label, label.first == "_",
                let option = child.value as? any ScenarioOption, let value = option.given
            else { return nil }
            let name = label.dropFirst().map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }
            return (name.joined(), value)
        }
    }

    /// The command that repeats the scenario.
    package var commandLine: String {
        let words = options.flatMap { option in
            switch option.value {
            case let isSet as Bool: isSet ? ["--\(option.name)"] : []
            case let value as any RawRepresentable: ["--\(option.name)", "\(value.rawValue)"]
            default: ["--\(option.name)", "\(option.value)"]
            }
        }
        return (["pushload", Self.configuration.commandName ?? ""] + words).joined(separator: " ")
    }
}

private protocol ScenarioOption {
    associatedtype Value
    var wrappedValue: Value { get }
}

extension Option: ScenarioOption {}
extension Flag: ScenarioOption {}

extension ScenarioOption {
    /// The value of the option; `nil` if the option was not given and has no default.
    fileprivate var given: Any? {
        let mirror = Mirror(reflecting: wrappedValue)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : wrappedValue
    }
}
