// A task that is only just made, and the file it becomes.

export interface NewStory {
  id: string;
  title: string;
  description: string;
  acceptanceCriteria: string[];
  priority: number;
  checks: (string | { exists: string })[];
  sealed: string[];
  dependsOn: string[];
}

export interface NewTask {
  branchName: string;
  description: string;
  setup?: string;
  stories: NewStory[];
}

/** Version 2.0, with what is empty left out. */
export function printTask({ branchName, description, setup, stories }: NewTask): string {
  const document = {
    schemaVersion: "2.0",
    branchName,
    ...(description === "" ? {} : { description }),
    ...(setup === undefined ? {} : { setup }),
    userStories: stories.map((story) => ({
      id: story.id,
      title: story.title,
      ...(story.description === "" ? {} : { description: story.description }),
      acceptanceCriteria: story.acceptanceCriteria,
      priority: story.priority,
      passes: false,
      notes: "",
      ...(story.dependsOn.length === 0 ? {} : { dependsOn: story.dependsOn }),
      ...(story.checks.length === 0 ? {} : { checks: story.checks }),
      ...(story.sealed.length === 0 ? {} : { sealed: story.sealed }),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
