internal import ArgumentParser

struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Contents by name, which deliveries and messages are made of.",
        discussion: """
            A template belongs to a service and has versions; 'delivery submit --template' and 'send --template' take \
            the newest, and what they say themselves has the last word. What was submitted keeps its own content.
            """,
        subcommands: [
            TemplateSave.self, TemplateList.self, TemplateShow.self, TemplateDelete.self,
        ])
}

/// Whose template it is.
struct TemplateServiceOption: ParsableArguments {
    @Option(help: ArgumentHelp("The template's service.", valueName: "name"), completion: .serviceNames)
    var service: String
}

/// `--template`, beside a document.
struct TemplateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Make it of this template's newest version.",
            discussion: "What the document says itself has the last word. It may name no other template.",
            valueName: "name"),
        completion: .templateNames)
    var template: String?
}
