package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

const rebuildHelp = `With --map and --articles: makes an index that was lost again, in the folder of
--data, from what neardup serve kept in MySQL and HBase: every change with its
number, so that every docId and nid answers as before. Give the settings that it
was served with; --config and the environment are read as neardup serve reads
them, NEARDUP_SEAL among them. Stop the servers first. It can be stopped at any
moment and goes on when it is called again; until it is done, no server opens the
index. An index that is there and has changes is left as it is. So an index in
Redis of versions before is brought over, too.

With --log also: the log, which must be empty, begins with the folder; other
servers go on with copies of it.

With --profile classic and --index: makes the index of the classic profile again, in
an empty Redis.

Texts that HBase had and rows that MySQL had and has lost are counted, and the
exit code is 1: the index is made, and articles join those docIds by url or title
only, or by content only.

What had not reached MySQL is lost. So an epoch begins, and no docId that was
given meanwhile is given a second time. --drained says that nothing had been on
its way.

With --data alone: throws away what follows from the log, the leaders and the articles (lookups by
name, sizes, what is due) and makes it again, in a folder that no server has
open. For a store in which neardup check found damage of that kind; damage of
the sources themselves is refused, restore a backup then.

With --data and --method: the store was made by another method, or with other
settings, which neardup serve refuses. Its docIds stay wherever the settings given
now allow; --moved names the articles that have another one. Texts are those that
the store has: of each docId its leader's and the hottest article's (and others, for
as long as --keep-texts kept them). An article without a text keeps its docId. An
article that is not like its leader any more goes to the docId that it is like, or
gets one of its own; a docId of one article joins an earlier one that it is like; one of
several articles stays. The store as it was is left beside, as DIR/store.before,
and is whole until the end. With --map and --articles, where the index was lost, the
same is made of what they have.

A copy that neardup backup made knows that it is one. One made otherwise, an
image of a disk or a snapshot of a file system, must be told with --new-epoch
before it is served in the place of the original: the numbers after those it
holds were given already, and docIds follow from numbers. What is served next
then gives other docIds.

`

func rebuildCommand(a *app) *cobra.Command {
	g := &again{serve: serve{app: a}}
	var copied bool
	cmd := &cobra.Command{
		Use:   "rebuild --data DIR [--map ADDRESS --articles ADDRESS [--log ADDRESS]]",
		Short: "Make a lost index again from MySQL and HBase, or the derived rows of a store",
		Long:  rebuildHelp + exitHelp,
		Example: `  neardup rebuild --data news
  neardup rebuild --data news --method auto
  neardup rebuild --data news-from-image --new-epoch
  NEARDUP_MAP=mysql://user:secret@127.0.0.1:3306/news neardup rebuild \
    --data news --articles hbase+http://127.0.0.1:8080`,
		Args: expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("method") && copied:
				return usage("--method and --new-epoch exclude each other: the first begins an epoch")
			case !g.asked(cmd.Flags()):
				if name := g.unread(cmd.Flags()); name != "" {
					return usage("--%s has no effect without --method, or --map and --articles", name)
				}
				return rebuild(cmd.Context(), a, g.data, copied)
			case copied:
				return usage("--new-epoch is for a copy in --data")
			}
			return g.run(cmd.Context(), cmd.Flags())
		},
	}
	g.add(cmd)
	cmd.Flags().BoolVar(&copied, "new-epoch", false, "the folder is a copy that neardup backup did not make")
	return cmd
}

func rebuild(ctx context.Context, a *app, data string, copied bool) error {
	store, err := closedIn(data)
	if err != nil {
		return err
	}
	sum, err := store.rebuild(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "rebuilt, digest %s\n", sum)
	if !copied {
		return nil
	}
	if err := store.markCopy(ctx); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "marked as a copy: a new epoch begins when it is next served")
	return nil
}
