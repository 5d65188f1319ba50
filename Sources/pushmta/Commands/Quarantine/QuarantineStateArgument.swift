internal import ArgumentParser
internal import PushStore

/// States by the names that operators read and type.
extension QuarantineState: ExpressibleByArgument {
    package init?(argument: String) {
        guard let state = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = state
    }

    package static var allValueStrings: [String] { allCases.map(\.name) }

    var name: String {
        switch self {
        case .disabled: "disabled"
        case .quarantined: "quarantined"
        case .counting: "counting"
        }
    }
}
