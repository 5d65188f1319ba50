/// Something that must be true of a run, and whether it is.
package struct Finding: Sendable, CustomStringConvertible {
    package var what: String
    package var holds: Bool
    package var numbers: String

    package init(what: String, holds: Bool, numbers: String) {
        self.what = what
        self.holds = holds
        self.numbers = numbers
    }

    package var description: String { "\(holds ? "holds " : "BROKEN")  \(what): \(numbers)" }
}
