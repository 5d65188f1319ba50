internal import ArgumentParser
internal import PushModel
internal import PushOperations

/// What an operator says of a service when it is created or changed.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What people call it.", discussion: "Default: its name.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "How many messages each device may be sent within a time, such as \"3 in 7d\"; \"none\": any number.",
            discussion:
                "Deliveries that are prepared from then on leave out devices that had as many. Default: none.",
            valueName: "cap"))
    var atMost: FrequencyCapArgument?

    func complete(_ fields: inout ServiceFields) { fields.frequencyCap = atMost?.cap }

    func change(_ changes: inout Changes<ServiceFields>) {
        changes.set(\.frequencyCap, to: atMost.map { $0.cap })
    }
}

/// A cap, or `none`.
struct FrequencyCapArgument: ExpressibleByArgument {
    let cap: FrequencyCap?

    init?(argument: String) {
        cap = FrequencyCap(argument)
        if cap == nil, argument != "none" { return nil }
    }
}
