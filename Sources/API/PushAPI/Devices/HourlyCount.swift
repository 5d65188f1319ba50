internal import PushModel

/// Counts registrations for a log line that appears at most once an hour.
struct HourlyCount {
    private static let secondsBetweenReports: Int64 = 3_600

    private var registrations = 0
    private var reported: MonotonicTime?

    /// Adds a registration.
    /// - Returns: The registrations since the last line, if a line is due; otherwise `nil`.
    mutating func add(at now: MonotonicTime) -> Int? {
        registrations += 1
        let isDue = reported.map { now >= $0.advanced(bySeconds: Self.secondsBetweenReports) } ?? true
        guard isDue else { return nil }
        defer { (registrations, reported) = (0, now) }
        return registrations
    }

    /// Returns the beginning of a line, such as `a registration has` or `12 registrations have`.
    static func subject(_ registrations: Int) -> String {
        registrations == 1 ? "a registration has" : "\(Numerals.grouped(registrations)) registrations have"
    }
}
