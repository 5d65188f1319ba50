internal import ArgumentParser
internal import PushOperations

/// A name that somebody gives to a service or an app.
struct ObjectName: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard NameRule.accepts(argument) else { return nil }
        text = argument
    }
}
