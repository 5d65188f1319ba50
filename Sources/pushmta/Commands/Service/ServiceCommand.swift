internal import ArgumentParser

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Information services: what deliveries are addressed to.",
        subcommands: [
            ServiceCreate.self, ServiceList.self, ServiceShow.self, ServiceStats.self, ServiceUpdate.self,
            ServiceDelete.self,
        ])
}
