extension SettingKind where Value == Int {
    /// A whole number.
    package static func count(_ range: ClosedRange<Int>) -> Self {
        Self(name: "\(range.lowerBound)…\(range.upperBound)", allowed: wholeNumber(range)) { text in
            inside(range, wholeNumber: text)
        } write: {
            String($0)
        }
    }

    /// A TCP port to connect to.
    package static var port: Self { count(1...65_535) }

    /// A duration in seconds, for an attribute whose name states the unit. Values with a unit are accepted as
    /// well.
    package static func seconds(_ range: ClosedRange<Int>) -> Self {
        Self(name: "seconds, \(range.lowerBound)…\(range.upperBound)", allowed: durations(range)) { text in
            DurationSetting.seconds(text).map { range.contains($0) ? .value($0) : .wrong } ?? .wrong
        } write: {
            String($0)
        }
    }

    /// A duration in seconds that is written with its unit.
    package static func duration(_ range: ClosedRange<Int>) -> Self {
        let bounds =
            "\(DurationSetting.written(range.lowerBound))…\(DurationSetting.written(range.upperBound))"
        return Self(name: "duration, \(bounds)", allowed: durations(range)) { text in
            DurationSetting.seconds(text).map { range.contains($0) ? .value($0) : .wrong } ?? .wrong
        } write: {
            DurationSetting.written($0)
        }
    }

    private static func durations(_ range: ClosedRange<Int>) -> String {
        "a duration from \(DurationSetting.written(range.lowerBound)) to "
            + "\(DurationSetting.written(range.upperBound)), such as 90s, 5m, 1h, 5d, or a number of seconds"
    }
}

extension SettingKind where Value == Int? {
    /// An optional port to listen on; 0 means any free port.
    package static var optionalListenerPort: Self { optional(0...65_535, hint: ", or empty") }

    /// An optional TCP port.
    package static var optionalPort: Self { optional(1...65_535) }

    private static func optional(_ range: ClosedRange<Int>, hint: String = "") -> Self {
        Self(name: "\(range.lowerBound)…\(range.upperBound)", allowed: wholeNumber(range) + hint) { text in
            WholeNumber.read(text).flatMap { range.contains($0) ? .value($0) : nil } ?? .wrong
        } write: {
            $0.map { String($0) } ?? ""
        }
    }
}

extension SettingKind where Value == TimeOfDay? {
    /// An optional time of day that applies every day.
    package static var optionalTimeOfDay: Self {
        Self(name: "time of day", allowed: "a time of day such as 06:00:00, or empty") { text in
            TimeOfDay(text).map { .value($0) } ?? .wrong
        } write: {
            $0?.text ?? ""
        }
    }
}

extension SettingKind where Value == Double {
    /// A share of a whole, greater than 0.
    package static var ratio: Self {
        Self(
            name: "ratio, greater than 0, up to 1",
            allowed: "a number greater than 0 and up to 1, such as 0.5"
        ) { text in
            // Double accepts more forms than people write: exponents, hexadecimal numbers and words.
            guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }),
                let value = Double(text),
                value > 0, value <= 1
            else { return .wrong }
            return .value(value)
        } write: {
            $0 == $0.rounded() ? String(Int($0)) : String($0)
        }
    }
}

extension SettingKind where Value: RawRepresentable<Int> & CaseIterable & Comparable {
    /// A number that represents a level.
    package static var level: Self {
        let numbers = Value.allCases.map(\.rawValue)
        let range = (numbers.min() ?? 0)...(numbers.max() ?? 0)
        return Self(name: "\(range.lowerBound)…\(range.upperBound)", allowed: wholeNumber(range)) { text in
            WholeNumber.read(text).flatMap { Value(rawValue: $0) }.map { .value($0) } ?? .wrong
        } write: {
            String($0.rawValue)
        }
    }
}

private func wholeNumber(_ range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
}

private func inside(_ range: ClosedRange<Int>, wholeNumber text: String) -> SettingKind<Int>.Reading {
    guard let number = WholeNumber.read(text), range.contains(number) else { return .wrong }
    return .value(number)
}

enum WholeNumber {
    /// Parses a text that consists of digits only, without a sign, space or separator.
    static func read(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }
}

/// Durations as people write them: `90s`, `5m`, `1h`, `5d`, or a plain number of seconds.
enum DurationSetting {
    private static let units: [(letter: Character, seconds: Int)] = [
        ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// Returns the duration in seconds, or `nil` if the text is not a duration or the number of seconds
    /// overflows.
    package static func seconds(_ text: String) -> Int? {
        guard let unit = units.first(where: { text.last == $0.letter }) else { return WholeNumber.read(text) }
        guard let number = WholeNumber.read(text.dropLast()) else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit.seconds)
        return overflow ? nil : seconds
    }

    /// Returns the duration in the largest unit that divides it.
    static func written(_ seconds: Int) -> String {
        guard seconds > 0, let unit = units.first(where: { seconds.isMultiple(of: $0.seconds) }) else {
            return "\(seconds)s"
        }
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}
