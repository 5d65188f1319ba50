internal import ArgumentParser

struct DeliveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery", abstract: "Submit deliveries and see what becomes of them.",
        subcommands: [
            DeliverySubmit.self, DeliveryPreview.self, DeliveryProof.self, DeliveryList.self,
            DeliveryShow.self,
            DeliveryLog.self, DeliveryStats.self, DeliveryPause.self, DeliveryResume.self, DeliveryStop.self,
            DeliveryRecall.self,
            DeliveryRecount.self,
            DeliveryRetryFailed.self, DeliveryRelease.self,
        ])
}
