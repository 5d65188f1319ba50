internal import ArgumentParser
internal import PushOperations
internal import PushStore

/// States by the names that operators read and type.
extension QuarantineState: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }

    package static var allValueStrings: [String] { allCases.map(\.name) }
}
