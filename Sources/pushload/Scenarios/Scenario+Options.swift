package import ArgumentParser

/// Chance that an option chooses; another each time, unless it is given.
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
    package var defaultValueDescription: String { "another each time" }

    /// So many seeds, from this one on.
    func followed(by count: Int) -> [Seed] { (0..<UInt64(count)).map { Seed(number &+ $0) } }
}

/// Several values of an option, with commas.
package struct Listed<Element: LosslessStringConvertible & Sendable>: ExpressibleByArgument,
    ExpressibleByArrayLiteral, CustomStringConvertible, Sendable
{
    package var elements: [Element]
    /// What help calls the default; nil: the elements.
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
    static let seed: ArgumentHelp = "The run's chance; the same one repeats it."
    static let store: ArgumentHelp =
        "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package."

    static func count(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "count") }
    static func seconds(_ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: "seconds") }
}

extension TestbedSettings.StoreEngine: ExpressibleByArgument {}

extension Scenario {
    /// Its options that have a value, in their order.
    var options: [(name: String, value: Any)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let label = child.label, label.first == "_",
                let option = child.value as? any ScenarioOption,
                let value = option.given
            else { return nil }
            let name = label.dropFirst().map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }
            return (name.joined(), value)
        }
    }

    /// The command that repeats it.
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
    /// nil: it was not given, and has no default.
    var given: Any? { get }
}

extension ScenarioOption {
    fileprivate static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

extension Option: ScenarioOption {
    fileprivate var given: Any? { Self.unwrapped(wrappedValue) }
}

extension Flag: ScenarioOption {
    fileprivate var given: Any? { Self.unwrapped(wrappedValue) }
}
